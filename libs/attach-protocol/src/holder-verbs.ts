/** The holder's verbs: what each takes and gives. Core verbs (hello, list, attach, write, resize, kill, exit) never change. */

/** Facts in a holder's hello, beside protocol, build and features. */
export interface HolderHelloFacts {
  readonly holderId: string;
  readonly bootId: string;
  readonly pid: number;
  /** Clock ticks since boot (field 22 of /proc/PID/stat). */
  readonly startTime: number;
  /** Made by the starter, known to nobody else: tells this holder from a stranger at the same path. */
  readonly nonce: string;
  /** Sessions it takes at most. */
  readonly capacity: number;
  /** Highest term it has obeyed. */
  readonly term: number;
}

/** Everything a holder needs to start one session. */
export interface SpawnSpec {
  readonly sessionId: string;
  readonly epoch: number;
  readonly command: readonly string[];
  /** Absolute; absent = the holder's HOME, else `/`. */
  readonly cwd?: string;
  /** Requested variables only: the holder adds its own base (rule H10). */
  readonly env: Readonly<Record<string, string>>;
  readonly cols: number;
  readonly rows: number;
  readonly mark: string;
  /** Journal quota of the session in bytes. */
  readonly journalBytes: number;
}

export interface Spawned {
  readonly pid: number;
  readonly startTime: number;
  readonly cwd: string;
}

export interface HeldSession {
  readonly sessionId: string;
  readonly epoch: number;
  /** 0 once the leader ended. */
  readonly pid: number;
  readonly startTime: number;
  /** `running` until the leader ended; `exited` while something still holds the tty. */
  readonly state: 'running' | 'exited';
}

/** Answer of `attach` on a session's socket. Output frames of stream 0 follow from `offset`; everything below it is on disk. */
export interface HolderAttached extends HeldSession {
  readonly offset: number;
  readonly cols: number;
  readonly rows: number;
  readonly recordingStopped: boolean;
}

/** verb → [request, response] on a holder's control socket. */
export interface ControlVerbs {
  list: [Record<string, never>, { sessions: HeldSession[] }];
  spawn: [{ spec: SpawnSpec }, Spawned];
  /** Takes no new session from now on and ends with its last one. */
  retire: [Record<string, never>, { live: number }];
}

/** verb → [request, response] on a session's socket; input comes as write frames of stream 0. */
export interface SessionVerbs {
  attach: [Record<string, never>, HolderAttached];
  /** Last input sequence applied for a viewer; 0 when unknown. */
  sequence: [{ viewerId: string }, { lastSeq: number }];
  /** `changed` is false for an equal size: no signal, no event. */
  resize: [{ cols: number; rows: number }, { offset: number; changed: boolean }];
  /** Signals the leader's process group. `sent` is false when the leader had ended. */
  kill: [{ signal: string }, { sent: boolean }];
  exit: [Record<string, never>, { record: ExitRecord | null }];
  /** Stops reading the PTY for up to 2,000 ms unless renewed; 0 ends the hold. */
  hold: [{ forMs: number }, Record<string, never>];
}

/** How an epoch ended: `<state>/sessions/<id>/<epoch>/exit.json`, written once by the holder. */
export interface ExitRecord {
  readonly sessionId: string;
  readonly epoch: number;
  readonly exit: { readonly code: number } | { readonly signal: string };
  /** ISO 8601, by the holder's wall clock. */
  readonly endedAt: string;
  /** Output the leader wrote, in bytes: all of it is readable once this record is shown. */
  readonly offset: number;
}

/** Events on a session's socket, ordered with its output frames. */
export type HolderEvent =
  | { readonly event: 'resized'; readonly offset: number; readonly cols: number; readonly rows: number }
  | { readonly event: 'exited'; readonly record: ExitRecord }
  /** Nobody holds the tty any more: the output is complete. The holder closes the socket next. */
  | { readonly event: 'ended'; readonly offset: number }
  /** Recording stopped (the disk is full) or goes on; between the two the journal has a hole. */
  | { readonly event: 'recording'; readonly stopped: boolean; readonly offset: number };

export const HOLDER_FEATURES = ['spawn', 'sequence', 'hold', 'durable'] as const;
/** A hold ends by itself after this unless renewed: a supervisor that dies cannot freeze an agent (rule S4). */
export const MAX_HOLD_MS = 2_000;
