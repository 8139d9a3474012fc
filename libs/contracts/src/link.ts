/** The attach link (gateway to supervisor): its verbs, with the facts each takes and gives. Frames and rules: PROTOCOL.md. */
import type { Session, CreateSession, KillReport, ExitView } from './session.schema.js';

/** verb → [request, response]. Every request also has `id` and `verb`, every response `id` and `ok`. */
export interface LinkVerbs {
  list: [Record<string, never>, { sessions: Session[] }];
  get: [{ sessionId: string }, { session: Session }];
  /** `owner` is set by the gateway when the body names none. `created` is false when the id was there already. */
  create: [{ spec: CreateSession }, { session: Session; created: boolean }];
  /** Answered by a data frame: head `ReadFacts`, and bytes. */
  read: [{ sessionId: string; epoch?: number; from?: number; limit: number }, ReadFacts];
  /** Starts a feed: output frames with `stream` = feed, events `resized`, `exit`, `feed-closed`, all in order. */
  follow: [{ sessionId: string; epoch: number; from?: number }, { feed: number; offset: number; cols: number; rows: number }];
  unfollow: [{ feed: number }, Record<string, never>];
  /** Registers a viewer; its write frames carry `stream` = viewer. */
  attach: [
    { sessionId: string; epoch?: number; viewerId: string; mode: 'read' | 'write' },
    {
      viewer: number;
      epoch: number;
      lastSeq: number;
      offset: number;
      earliestOffset: number;
      state: Session['state'];
      cols: number;
      rows: number;
    },
  ];
  detach: [{ viewer: number }, Record<string, never>];
  /** By a viewer (its mode is checked) or, without one, by REST. */
  resize: [{ sessionId: string; epoch?: number; viewer?: number; cols: number; rows: number }, { offset: number }];
  kill: [{ sessionId: string; epoch?: number; graceMs?: number; purge?: boolean }, { report: KillReport }];
  /** Input without a viewer (REST): a data frame with these facts and the bytes. */
  write: [{ sessionId: string; epoch?: number }, { accepted: number }];
}
export type LinkVerb = keyof LinkVerbs;

export interface ReadFacts {
  epoch: number;
  offset: number;
  nextOffset: number;
  /** Oldest readable and end of the output at the time of the read. */
  earliestOffset: number;
  endOffset: number;
  /** Size at `offset`, and the resizes within (offset, nextOffset]. */
  cols: number;
  rows: number;
  resizes: { offset: number; cols: number; rows: number }[];
}

/** Events of a feed, in the order of its bytes. */
export type LinkEvent =
  | { event: 'resized'; feed: number; offset: number; cols: number; rows: number }
  | { event: 'exit'; feed: number; offset: number; exit: ExitView }
  | { event: 'feed-closed'; feed: number; code: string };

/** Gateway to supervisor: hold the session's output for up to `forMs`, since viewers that keep up fall behind; 0 = go on. A wish (rule S4). */
export interface LinkHold {
  event: 'hold';
  feed: number;
  forMs: number;
}

/** Most bytes one `read` gives: what fits a frame with room for its head. */
export const MAX_LINK_READ_BYTES = 1024 * 1024;
/** Unacknowledged bytes of a feed before the supervisor stops sending; what follows then comes from the journal. */
export const FEED_WINDOW_BYTES = 1024 * 1024;
/** Name of the supervisor's socket in the runtime directory. */
export const LINK_SOCKET_NAME = 'supervisor.sock';
