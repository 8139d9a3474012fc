/** A session's one ordered input queue: every write whole or not at all, one chunk at a time to a terminal that may never read. */
import { ServiceError } from '@holdfast/kernel';
import { WRITE_CHUNK_BYTES } from '../pty/pty-process.js';

/** Input that waits for the program to read: more is refused (rule I1). */
export const MAX_QUEUED_INPUT_BYTES = 1024 * 1024;
/** Viewers whose last sequence is kept, the newest ones (rule I2). */
const MAX_VIEWERS = 256;

export interface InputSink {
  write(chunk: Buffer, onDone: () => void): void;
}

export interface InputWrite {
  /** From 1 per viewer; 0 = without a sequence. */
  readonly seq: number;
  readonly viewerId: string;
  readonly bytes: Buffer;
}

export class InputQueue {
  private queue: Buffer[] = [];
  private queuedBytes = 0;
  private writing = false;
  private closed = false;
  /** In the order of last use. */
  private readonly sequences = new Map<string, number>();

  constructor(private readonly sink: InputSink) {}

  lastSequence(viewerId: string): number {
    return this.sequences.get(viewerId) ?? 0;
  }

  /**
   * Queues a copy of the bytes; they reach the terminal in order. A sequence applied before is not applied again.
   * @throws ServiceError `session.ended`, `session.input-gap` (detail `lastSeq`), `session.input-stalled` (nothing was queued)
   */
  accept(write: InputWrite): { readonly accepted: number; readonly duplicate: boolean } {
    if (this.closed) throw new ServiceError('session.ended', 'the session takes no input any more');
    if (write.seq > 0 && this.isDuplicate(write)) return { accepted: 0, duplicate: true };
    if (this.queuedBytes + write.bytes.length > MAX_QUEUED_INPUT_BYTES) {
      throw new ServiceError('session.input-stalled', `${this.queuedBytes} bytes of input wait for the program to read them`, {
        detail: { queuedBytes: this.queuedBytes, maxBytes: MAX_QUEUED_INPUT_BYTES },
      });
    }
    if (write.seq > 0) this.remember(write.viewerId, write.seq);
    this.queue.push(Buffer.from(write.bytes));
    this.queuedBytes += write.bytes.length;
    this.pump();
    return { accepted: write.bytes.length, duplicate: false };
  }

  /** Drops what was not handed to the kernel yet: nothing of it may reach whoever gets the descriptor next. */
  close(): void {
    this.closed = true;
    this.queue = [];
    this.queuedBytes = 0;
  }

  private isDuplicate(write: InputWrite): boolean {
    const lastSeq = this.lastSequence(write.viewerId);
    if (write.seq <= lastSeq) return true;
    if (write.seq === lastSeq + 1) return false;
    throw new ServiceError('session.input-gap', `input ${write.seq} came after ${lastSeq}`, { detail: { lastSeq } });
  }

  private remember(viewerId: string, seq: number): void {
    this.sequences.delete(viewerId);
    this.sequences.set(viewerId, seq);
    if (this.sequences.size <= MAX_VIEWERS) return;
    const [oldest] = this.sequences.keys();
    this.sequences.delete(oldest as string);
  }

  private pump(): void {
    const first = this.queue[0];
    if (this.writing || this.closed || !first) return;
    const chunk = first.subarray(0, WRITE_CHUNK_BYTES);
    if (chunk.length === first.length) this.queue.shift();
    else this.queue[0] = first.subarray(chunk.length);
    this.writing = true;
    this.sink.write(chunk, () => {
      this.writing = false;
      this.queuedBytes = Math.max(0, this.queuedBytes - chunk.length);
      this.pump();
    });
  }
}
