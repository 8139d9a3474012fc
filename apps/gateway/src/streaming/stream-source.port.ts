/** What the streaming core needs from the world: a source of output, and something that takes it to a viewer. */
import type { ExitView, ReadFacts } from '@holdfast/contracts';
import type { ErrorCode } from '@holdfast/kernel';
import type { TerminalSize } from '@holdfast/domain-session';

/** What a follow began with. */
export interface Followed extends TerminalSize {
  /** Of the first byte that comes. */
  readonly offset: number;
  /** Tells the source that everything below `offset` was taken in. */
  acknowledge(offset: number): void;
  /** Asks that the program's output be held for up to `forMs`; 0 lets it go on. Only a wish: it runs out by itself. */
  hold(forMs: number): void;
  stop(): void;
}

/** Called in the order of the bytes; never again after `closed` or once the source broke. */
export interface FeedHandlers {
  /** `bytes` are the receiver's to keep. */
  output(offset: number, bytes: Uint8Array): void;
  resized(offset: number, size: TerminalSize): void;
  exited(offset: number, exit: ExitView): void;
  /** The source ended this feed by itself. */
  closed(code: ErrorCode): void;
}

export interface StreamId {
  readonly sessionId: string;
  readonly epoch: number;
}

export interface ReadResult {
  readonly facts: ReadFacts;
  readonly bytes: Uint8Array;
}

export interface StreamSource {
  /**
   * `from` absent = the live end. `begin` is called before anything is delivered.
   * @throws ServiceError retry `safe` while the source is away.
   */
  follow(request: StreamId & { readonly from?: number }, begin: (followed: Followed) => FeedHandlers): Promise<void>;
  /** @throws ServiceError `session.output-pruned`, `session.output-gap`, and retry `safe` while the source is away. */
  read(request: StreamId & { readonly from: number; readonly limit: number }): Promise<ReadResult>;
  /** How the session ended; undefined while it has not. */
  exitOf(stream: StreamId): Promise<{ readonly offset: number; readonly exit: ExitView } | undefined>;
}

/** The way to one viewer. Nothing here waits: `isReady` says when to stop. */
export interface ViewerSink {
  /** False while the transport has enough to do. Whoever made the sink wakes the viewer when that changes. */
  readonly isReady: boolean;
  /** True when nothing waits in the transport. */
  readonly isDrained: boolean;
  output(offset: number, bytes: Uint8Array): void;
  resized(offset: number, size: TerminalSize): void;
  exited(exit: ExitView): void;
}

/** Time as the streaming core sees it. */
export interface StreamClock {
  /** Milliseconds that only grow. */
  now(): number;
  /** Runs once after `ms`. Returns what stops it. */
  after(ms: number, callback: () => void): () => void;
}
