/** The newest bytes of a stream by absolute offset: what is kept in memory between a producer and its readers. */
import { invariant } from '@holdfast/kernel';

/**
 * Append at the end, read anywhere inside, forget from the start. Chunks are kept as given (not copied):
 * the caller must not write into them afterwards.
 */
export class OutputWindow {
  private chunks: { readonly offset: number; readonly bytes: Uint8Array }[] = [];
  private startOffset: number;
  private endOffset: number;

  constructor(offset = 0) {
    this.startOffset = offset;
    this.endOffset = offset;
  }

  /** Offset of the oldest byte kept. */
  get start(): number {
    return this.startOffset;
  }

  /** Offset after the newest byte. */
  get end(): number {
    return this.endOffset;
  }

  get byteLength(): number {
    return this.endOffset - this.startOffset;
  }

  /** True when a reader at `offset` needs nothing older than what is kept. */
  covers(offset: number): boolean {
    return offset >= this.startOffset && offset <= this.endOffset;
  }

  /** `offset` must be the end: a hole would be served as if it were not there. */
  append(offset: number, bytes: Uint8Array): void {
    invariant(offset === this.endOffset, `append at ${offset}, the window ends at ${this.endOffset}`);
    if (bytes.length === 0) return;
    this.chunks.push({ offset, bytes });
    this.endOffset += bytes.length;
  }

  /**
   * Up to `maxBytes` from `offset`, without copying: a view of one chunk, so often fewer than asked for.
   * Empty at the end. The offset must be covered.
   */
  peek(offset: number, maxBytes: number): Uint8Array {
    invariant(this.covers(offset), `read at ${offset}, the window holds ${this.startOffset} to ${this.endOffset}`);
    if (offset === this.endOffset) return new Uint8Array(0);
    const chunk = this.chunks[this.indexOf(offset)];
    invariant(chunk, `no chunk at ${offset}`);
    const from = offset - chunk.offset;
    return chunk.bytes.subarray(from, Math.min(chunk.bytes.length, from + maxBytes));
  }

  /** Forgets whole chunks below `offset`. */
  dropBefore(offset: number): void {
    let count = 0;
    for (const chunk of this.chunks) {
      if (chunk.offset + chunk.bytes.length > offset) break;
      count += 1;
    }
    if (count === 0) return;
    this.chunks.splice(0, count);
    this.startOffset = this.chunks[0]?.offset ?? this.endOffset;
  }

  /** Forgets everything and goes on at `offset`: what lies between was taken elsewhere (the journal). */
  restartAt(offset: number): void {
    this.chunks = [];
    this.startOffset = offset;
    this.endOffset = offset;
  }

  private indexOf(offset: number): number {
    let low = 0;
    let high = this.chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.chunks[middle] as { offset: number }).offset <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
