/** A stretch of output that is at hand: what a viewer can be sent from without asking anybody. */
import { OutputWindow, type Resize, type TerminalSize } from '@holdfast/domain-session';
import { SizeTimeline } from './size-timeline.js';

/** Bytes and sizes by offset. A span grows at its end or forgets from its start; what it holds never changes. */
export class OutputSpan {
  private readonly window: OutputWindow;
  private sizes: SizeTimeline;

  constructor(offset: number, size: TerminalSize) {
    this.window = new OutputWindow(offset);
    this.sizes = new SizeTimeline(size);
  }

  get start(): number {
    return this.window.start;
  }

  get end(): number {
    return this.window.end;
  }

  /** True when a reader at `offset` needs nothing older than what is kept, its end included. */
  covers(offset: number): boolean {
    return this.window.covers(offset);
  }

  /** Takes `bytes` over: the caller must not write into them afterwards. `offset` must be the end. */
  append(offset: number, bytes: Uint8Array): void {
    this.window.append(offset, bytes);
  }

  resize(resize: Resize): void {
    this.sizes.append(resize);
  }

  /** Keeps about the newest `maxBytes`. */
  trimTo(maxBytes: number): void {
    if (this.window.byteLength <= maxBytes) return;
    this.window.dropBefore(this.window.end - maxBytes);
    this.sizes.dropBefore(this.window.start);
  }

  /** Forgets everything and goes on at `offset`. */
  restartAt(offset: number, size: TerminalSize): void {
    this.window.restartAt(offset);
    this.sizes = new SizeTimeline(size);
  }

  sizeAt(offset: number): TerminalSize {
    return this.sizes.sizeAt(offset);
  }

  /** Offset of the first resize beyond `offset`; Infinity when there is none. */
  nextResizeAfter(offset: number): number {
    return this.sizes.nextAfter(offset);
  }

  /** Up to `maxBytes` from `offset` in one piece: a view of one chunk where that is enough, a copy where it takes several. */
  take(offset: number, maxBytes: number): Uint8Array {
    const first = this.window.peek(offset, maxBytes);
    const wanted = Math.min(maxBytes, this.end - offset);
    if (first.length === wanted) return first;
    const joined = new Uint8Array(wanted);
    joined.set(first);
    for (let at = first.length; at < wanted;) {
      const next = this.window.peek(offset + at, wanted - at);
      joined.set(next, at);
      at += next.length;
    }
    return joined;
  }
}
