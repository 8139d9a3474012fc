/** What a session is, whatever holds it. */

/** `starting` → `running` ⇄ `unreachable` → `exited` | `lost`. The last two are final for an epoch. */
export type SessionState = 'starting' | 'running' | 'unreachable' | 'exited' | 'lost';

/** How the leader ended: its code, the signal that ended it, or why nobody can know. */
export type Exit = { readonly code: number } | { readonly signal: string } | { readonly lost: string };

/** Grid size of a terminal in character cells. */
export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

/** Used when a create names no size; the size agents are usually given. */
export const DEFAULT_SIZE: TerminalSize = { cols: 120, rows: 40 };
/** Larger grids are refused: winsize is 16 bits a side and a screen of this size already holds a million cells. */
export const MAX_TERMINAL_SIDE = 1000;

/** Identity of a process that no reuse of its pid can fake. */
export interface ProcessIdentity {
  /** Random per boot: /proc/sys/kernel/random/boot_id. */
  readonly bootId: string;
  readonly pid: number;
  /** Start time in clock ticks since boot: field 22 of /proc/PID/stat. */
  readonly startTime: number;
}

/** Something that happened to the terminal at an output offset; ordered with the bytes. */
export interface Resize extends TerminalSize {
  /** Bytes before this offset were written to the earlier size. */
  readonly offset: number;
}

export function isEnded(state: SessionState): boolean {
  return state === 'exited' || state === 'lost';
}
