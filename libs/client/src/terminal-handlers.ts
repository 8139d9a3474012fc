/** What a caller asks of a terminal stream and what it is told: options, handlers and the facts they carry. */
import type { Attached, ExitView } from '@holdfast/contracts';
import type { ServiceError } from '@holdfast/kernel';

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

export interface AttachOptions {
  readonly sessionId: string;
  /** A reader cannot type or resize. */
  readonly mode: 'read' | 'write';
  /** First byte wanted; needs `epoch`. Absent: where the gateway starts a new viewer. */
  readonly from?: number;
  readonly epoch?: number;
  /** Size of the viewer's own terminal. */
  readonly cols?: number;
  readonly rows?: number;
  /** Of an earlier attachment of the same token: continues its input sequence and replaces it. */
  readonly viewerId?: string;
}

/** Where a stream starts, or starts again: clear the terminal, size it, write the snapshot; bytes from `offset` follow. */
export interface StreamStart extends TerminalSize {
  readonly epoch: number;
  readonly offset: number;
  /** Paints the screen as it is at `offset`. */
  readonly snapshot?: Uint8Array;
  /** The snapshot skipped output and may differ from the true screen. */
  readonly approximate: boolean;
  readonly state: Attached['state'];
}

/** `reconnecting` mends itself; `detached` is the end. */
export type AttachmentStatus = 'live' | 'reconnecting' | 'detached';

/**
 * `onOutput`, `onStart`, `onResized` and `onExit` are called one at a time in the order of the stream; a promise they return
 * is awaited before the next. That is the back-pressure: output is acknowledged once its `onOutput` has finished.
 * `onStatus` and `onDetached` are called at once, between the others.
 */
export interface TerminalHandlers {
  /** Bytes of any cutting, characters and sequences included; `offset` is that of the first. */
  onOutput(bytes: Uint8Array, offset: number): void | Promise<void>;
  /** Called first, and again whenever the stream cannot be continued where it broke. */
  onStart?(start: StreamStart): void | Promise<void>;
  onResized?(size: TerminalSize, offset: number): void | Promise<void>;
  /** Once, after the last byte. The attachment stays until it is detached. */
  onExit?(exit: ExitView): void | Promise<void>;
  onStatus?(status: AttachmentStatus): void;
  /** The attachment ended and not by the caller's `detach` or `close`. */
  onDetached?(error: ServiceError): void;
}
