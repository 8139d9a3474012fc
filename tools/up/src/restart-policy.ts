/** How long to wait before a service that died is started again. */

export const FIRST_RESTART_PAUSE_MS = 250;
export const MAX_RESTART_PAUSE_MS = 10_000;

/**
 * `diedBeforeReady` counts the service's deaths in a row without having become ready. One that had been ready is
 * started again at once: its clients wait. One that cannot start gets growing pauses, so that it does not eat the machine.
 */
export function restartPauseMs(diedBeforeReady: number): number {
  if (diedBeforeReady === 0) return 0;
  return Math.min(MAX_RESTART_PAUSE_MS, FIRST_RESTART_PAUSE_MS * 2 ** (diedBeforeReady - 1));
}
