/** Gathers the small reads of a PTY into slabs: at once when the session was idle, else at 64 KB or 2 ms. */

import { invariant } from '@holdfast/kernel';

/** Bytes per slab and the most one chunk holds. */
export const SLAB_BYTES = 64 * 1024;
/** How long output is gathered behind a flush. Never delays the first output after a pause (rule S6). */
export const GATHER_MS = 2;
/** Free slabs kept for the next flood; the rest goes back to the heap. */
const MAX_FREE_SLABS = 32;

/** Slabs are used again: allocating a buffer per read fragments the heap to several times the live size. */
export class SlabPool {
  private readonly free: Slab[] = [];

  take(): Slab {
    return this.free.pop() ?? new Slab(this);
  }

  give(slab: Slab): void {
    slab.filled = 0;
    if (this.free.length < MAX_FREE_SLABS) this.free.push(slab);
  }
}

/** A buffer with a count of who still reads from it. */
export class Slab {
  readonly buffer = Buffer.allocUnsafeSlow(SLAB_BYTES);
  filled = 0;
  private references = 0;

  constructor(private readonly pool: SlabPool) {}

  retain(): void {
    this.references += 1;
  }

  release(): void {
    this.references -= 1;
    if (this.references === 0) this.pool.give(this);
  }
}

/** A piece of the output. Its bytes stay valid until everybody who retained the slab released it. */
export interface OutputChunk {
  readonly offset: number;
  readonly bytes: Buffer;
  readonly slab: Slab;
}

export class OutputGatherer {
  private slab: Slab;
  /** Bytes of the slab that were handed on. */
  private flushedBytes = 0;
  private nextOffset = 0;
  private timer: NodeJS.Timeout | undefined;
  /** After the end the slab belongs to others. */
  private ended = false;

  constructor(
    private readonly pool: SlabPool,
    private readonly onChunk: (chunk: OutputChunk) => void,
  ) {
    this.slab = this.takeSlab();
  }

  /** Bytes received so far, handed on or not. */
  get endOffset(): number {
    return this.ended ? this.nextOffset : this.nextOffset + this.slab.filled - this.flushedBytes;
  }

  /** Takes a copy of `bytes`. */
  push(bytes: Buffer): void {
    invariant(!this.ended, 'output after its end');
    for (let at = 0; at < bytes.length;) {
      const copied = bytes.copy(this.slab.buffer, this.slab.filled, at);
      this.slab.filled += copied;
      at += copied;
      if (this.slab.filled === SLAB_BYTES) this.flush();
    }
    if (this.timer) return;
    this.flush();
    this.startTimer();
  }

  /** Hands on what was gathered; nothing after the end. */
  flush(): void {
    if (this.ended) return;
    const { slab } = this;
    const bytes = slab.buffer.subarray(this.flushedBytes, slab.filled);
    if (bytes.length > 0) {
      const chunk = { offset: this.nextOffset, bytes, slab };
      this.nextOffset += bytes.length;
      this.flushedBytes = slab.filled;
      this.onChunk(chunk);
    }
    if (slab.filled < SLAB_BYTES) return;
    this.slab = this.takeSlab();
    this.flushedBytes = 0;
    slab.release();
  }

  /** Hands on the rest and lets the slab go; nothing may be pushed afterwards. */
  end(): void {
    if (this.ended) return;
    clearTimeout(this.timer);
    this.flush();
    this.ended = true;
    this.slab.release();
  }

  private takeSlab(): Slab {
    const slab = this.pool.take();
    slab.retain();
    return slab;
  }

  private startTimer(): void {
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.slab.filled === this.flushedBytes) return;
      this.flush();
      this.startTimer();
    }, GATHER_MS);
  }
}
