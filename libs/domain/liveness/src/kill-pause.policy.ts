/** How long to leave a session alone after a kill of it failed. */

export const FIRST_KILL_PAUSE_MS = 5_000;
export const MAX_KILL_PAUSE_MS = 600_000;

/** Doubles with each failure in a row; `failures` counts from 1. */
export function killPauseMs(failures: number): number {
  return Math.min(FIRST_KILL_PAUSE_MS * 2 ** Math.min(Math.max(failures - 1, 0), 20), MAX_KILL_PAUSE_MS);
}
