/** The output of one session by offset: the newest bytes in memory, older ones in the journal, sizes and end beside them. */
import type { ExitView } from '@holdfast/contracts';
import { OutputWindow, type Resize, type TerminalSize } from '@holdfast/domain-session';
import type { Journal } from './journal.port.js';
import { SizeTrack } from './size-track.js';

/** Kept in memory behind the durable offset, so that viewers that keep up never wait for the disk. */
export const WINDOW_TAIL_BYTES = 1024 * 1024;
/** Most bytes kept when the disk takes none: the oldest are then gone for feeds that lag (a recorded gap). */
export const WINDOW_MAX_BYTES = 8 * 1024 * 1024;

export type StreamRead =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** Nothing there yet. */
  | { readonly kind: 'end' }
  | { readonly kind: 'pruned'; readonly earliestOffset: number }
  | { readonly kind: 'gap'; readonly from: number; readonly to: number };

export interface StreamEnd {
  readonly exit: ExitView;
  /** Output the leader wrote: all of it comes before the exit. */
  readonly offset: number;
}

export class SessionStream {
  readonly sizes: SizeTrack;
  /** Monotonic milliseconds of the newest output; undefined when there was none since we attached. */
  lastOutputAtMs: number | undefined;
  recordingStopped = false;
  ended: StreamEnd | undefined;
  private readonly window: OutputWindow;
  private readonly followers = new Set<() => void>();

  constructor(
    private readonly journal: Journal,
    startSize: TerminalSize,
    private readonly now: () => number,
  ) {
    this.window = new OutputWindow(journal.endOffset());
    const [first, ...later] = journal.sizes();
    this.sizes = new SizeTrack(first ?? startSize);
    later.forEach((size) => this.sizes.add(size));
  }

  get endOffset(): number {
    return Math.max(this.window.end, this.journal.endOffset(), this.ended?.offset ?? 0);
  }

  /** End of what was received; the disk is not looked at. */
  get liveOffset(): number {
    return this.window.end;
  }

  get earliestOffset(): number {
    return Math.min(this.journal.earliestOffset(), this.window.end);
  }

  get followerCount(): number {
    return this.followers.size;
  }

  /** A (new) attachment: output goes on at `offset`, everything below it is on disk. */
  attachedAt(start: Resize & { readonly recordingStopped: boolean }): void {
    this.recordingStopped = start.recordingStopped;
    if (start.offset > this.window.end) this.jumpTo(start.offset);
    this.sizes.add({ offset: Math.max(start.offset, this.sizes.last.offset), cols: start.cols, rows: start.rows });
    this.notify();
  }

  /** Keeps `bytes`. What is known already is skipped; a jump means that the journal has what lies between. */
  append(offset: number, bytes: Uint8Array): void {
    const known = this.window.end - offset;
    if (known >= bytes.length) return;
    if (known < 0) this.jumpTo(offset);
    this.window.append(this.window.end, known > 0 ? bytes.subarray(known) : bytes);
    if (this.window.byteLength > WINDOW_MAX_BYTES) this.window.dropBefore(this.window.end - WINDOW_MAX_BYTES);
    this.lastOutputAtMs = this.now();
    this.notify();
  }

  resized(size: Resize): void {
    if (this.sizes.add(size)) this.notify();
  }

  /** Bytes on disk that never came were skipped by the holder, since we were slow: the journal has them. */
  durableTo(offset: number): void {
    if (offset > this.window.end) {
      this.jumpTo(offset);
      this.notify();
    }
    this.window.dropBefore(Math.min(offset, this.window.end) - WINDOW_TAIL_BYTES);
  }

  /** The leader ended and every byte of it is readable; more may still follow from what it left behind. */
  finish(end: StreamEnd): void {
    const onDisk = this.journal.endOffset();
    if (onDisk > this.window.end) this.jumpTo(onDisk);
    this.ended ??= end;
    this.notify();
  }

  /** Up to `maxBytes` from `offset`, from memory; undefined when only the journal can have it. */
  peek(offset: number, maxBytes: number): StreamRead | undefined {
    if (!this.window.covers(offset)) return undefined;
    if (offset === this.window.end) return this.isMissing(offset) ? undefined : { kind: 'end' };
    return { kind: 'bytes', bytes: this.window.peek(offset, maxBytes) };
  }

  /** Up to `maxBytes` from `offset`, from wherever they are. */
  async read(offset: number, maxBytes: number): Promise<StreamRead> {
    const part = await this.readKept(offset, maxBytes);
    if (part.kind === 'end' && this.ended && this.isMissing(offset)) return { kind: 'gap', from: offset, to: this.ended.offset };
    return part;
  }

  private async readKept(offset: number, maxBytes: number): Promise<StreamRead> {
    const inMemory = this.peek(offset, maxBytes);
    if (inMemory && !(inMemory.kind === 'end' && this.journal.endOffset() > offset)) return inMemory;
    const onDisk = await this.journal.read(offset, maxBytes);
    if (onDisk.kind !== 'end') return onDisk;
    if (offset < this.window.start) return { kind: 'gap', from: offset, to: this.window.start };
    return this.peek(offset, maxBytes) ?? { kind: 'end' };
  }

  /** Calls `listener` after every change, until the returned function is called. */
  follow(listener: () => void): () => void {
    this.followers.add(listener);
    return () => this.followers.delete(listener);
  }

  /** The leader wrote further than this, and it is not in memory: with the journal at its end, it was not recorded. */
  private isMissing(offset: number): boolean {
    return this.ended !== undefined && offset >= this.window.end && offset < this.ended.offset;
  }

  private jumpTo(offset: number): void {
    this.window.restartAt(offset);
    this.journal.sizes().forEach((size) => this.sizes.add(size));
  }

  private notify(): void {
    for (const follower of [...this.followers]) follower();
  }
}
