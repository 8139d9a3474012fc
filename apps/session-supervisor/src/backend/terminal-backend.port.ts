/** What holds sessions, whatever it is: every operation of every session goes through its own backend. */
import type { ExitRecord, SpawnSpec, Spawned } from '@holdfast/attach-protocol';
import type { Backend, Session } from '@holdfast/contracts';
import type { ProcessIdentity, Resize } from '@holdfast/domain-session';
import type { ErrorCode, Retry } from '@holdfast/kernel';
import type { ProcessRef } from '../processes/process-snapshot.js';
import type { TreeKill } from '../processes/tree-killer.js';

/** Who holds a session: enough to tell a dead holder from a silent one without asking it. */
export interface HolderRef {
  readonly id: string;
  readonly identity: ProcessIdentity;
}

/** One incarnation of a session, and who holds it. */
export interface SessionRef {
  readonly sessionId: string;
  readonly epoch: number;
  readonly mark: string;
  readonly holder: HolderRef;
  /** Absent until the spawn was answered. */
  readonly leader?: ProcessRef;
}

/** A running session as its holder tells of it. */
export interface FoundSession {
  readonly sessionId: string;
  readonly epoch: number;
  readonly holder: HolderRef;
  readonly leader: ProcessRef;
}

/** A place for one more session, taken before anything is written down or spawned. */
export interface Placement {
  readonly holder: HolderRef;
  /**
   * Spawns there. The same (session id, epoch) again answers as the first time.
   * @throws ServiceError by type: `session.command-not-found`, `session.cwd-not-found`, …, `holder.full`, `holder.unreachable`.
   */
  spawn(spec: SpawnSpec): Promise<Spawned>;
  /** Gives the place back, spawned or not. */
  release(): void;
}

export type Listing = { readonly known: true; readonly ids: readonly string[] } | { readonly known: false; readonly why: string };

/** Something went wrong in a backend; counted per backend and code. */
export interface BackendError {
  readonly backend: Backend;
  readonly code: ErrorCode;
  readonly retry: Retry;
  readonly message: string;
  readonly sessionId?: string;
  readonly holderId?: string;
}

export interface KillOptions {
  readonly graceMs: number;
  /** Members found by earlier looks. */
  readonly known: readonly ProcessRef[];
}

export interface TerminalBackend {
  readonly name: Backend;
  readonly capabilities: Session['capabilities'];
  /** Finds or makes room. @throws ServiceError `holder.start-failed`. */
  createSession(wish: { readonly dedicated: boolean }): Promise<Placement>;
  /** Its stream and input. @throws ServiceError `holder.unreachable`. */
  attachSession(ref: SessionRef): Promise<SessionHandle>;
  /** Sessions held now; a backend that cannot look at all of them never says "none". */
  listSessions(): Promise<Listing>;
  /** `dead` only when its holder's process is gone or says that it holds no such session. */
  isAlive(ref: SessionRef): Promise<'alive' | 'dead' | 'unknown'>;
  /** The leader as its backend knows it; for a session whose spawn was never answered. */
  leaderOf(ref: SessionRef): Promise<ProcessRef | undefined>;
  /** Ends the whole process tree; works for ended sessions too. Takes up to the grace and some seconds. */
  killSession(ref: SessionRef, options: KillOptions): Promise<TreeKill>;
  /** Removes what a session that ended left in the runtime directory. */
  forget(ref: SessionRef): Promise<void>;
  onError(listener: (error: BackendError) => void): void;
}

/** Who types: the holder applies each (viewer, seq) once. */
export interface InputOrigin {
  readonly viewerId: string;
  readonly seq: number;
}

export interface InputAccepted {
  readonly accepted: number;
  readonly duplicate?: boolean;
}

/** Facts of a session's stream, ordered with its output. */
export type StreamEvent =
  | ({ readonly type: 'resized' } & Resize)
  /** Everything below is on disk. */
  | { readonly type: 'durable'; readonly offset: number }
  | { readonly type: 'recording'; readonly stopped: boolean; readonly offset: number }
  /** The output is complete: nobody holds the tty any more. */
  | { readonly type: 'ended'; readonly offset: number }
  /** The connection is over; whether the session is, says `isAlive`. */
  | { readonly type: 'closed' };

/** A live attachment. Disposing detaches; the child lives on. */
export interface SessionHandle {
  /** Everything below `offset` is on disk; output from there follows. */
  readonly start: Resize & { readonly recordingStopped: boolean };
  /** False while its holder does not answer. */
  readonly isResponsive: boolean;
  /** Whole or not at all. @throws ServiceError `session.input-stalled`, `session.input-gap`. Keeps the order of calls. */
  write(bytes: Uint8Array, origin?: InputOrigin): Promise<InputAccepted>;
  /** One uncut unit of input. */
  writeSequence(payloads: readonly Uint8Array[]): Promise<InputAccepted>;
  /** Last sequence number applied for a viewer; 0 for one never heard of. */
  lastSequence(viewerId: string): Promise<number>;
  /** `offset`: output below it was written to the size before. */
  resize(cols: number, rows: number): Promise<{ readonly offset: number; readonly changed: boolean }>;
  /** Stops reading the program's output for up to `forMs`, unless renewed; 0 lets it go on. A wish: nothing waits for it. */
  hold(forMs: number): void;
  /** Opens the flow: register it last. What arrived before is kept and given first. Bytes are the listener's to keep. */
  onData(listener: (offset: number, bytes: Uint8Array) => void): void;
  onEvent(listener: (event: StreamEvent) => void): void;
  /** Once every byte the leader wrote is on disk and was given. Also when it happened before the attach. */
  onExit(listener: (record: ExitRecord) => void): void;
  dispose(): void;
}
