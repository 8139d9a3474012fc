/** A source of output in memory for specs: a journal that can be pruned, and feeds whose delivery the test decides. */
import type { ExitView, ReadFacts } from '@holdfast/contracts';
import type { Resize, TerminalSize } from '@holdfast/domain-session';
import { ServiceError, type ErrorCode } from '@holdfast/kernel';
import { SizeTimeline } from './size-timeline.js';
import type { FeedHandlers, Followed, ReadResult, StreamClock, StreamSource, ViewerSink } from './stream-source.port.js';

export const FIRST_SIZE: TerminalSize = { cols: 80, rows: 24 };

type Entry = { readonly bytes: Uint8Array } | { readonly resize: TerminalSize } | { readonly exit: ExitView };

export class RecordedStream implements StreamSource {
  bytes = Buffer.alloc(0);
  earliestOffset = 0;
  resizes: Resize[] = [];
  exit: { offset: number; exit: ExitView } | undefined;
  acknowledgedTo = 0;
  /** Holds asked for, in order; 0 = go on. */
  readonly holds: number[] = [];
  reads = 0;
  isAway = false;
  private log: { readonly offset: number; readonly entry: Entry }[] = [];
  private feed: { handlers: FeedHandlers; next: number; offset: number } | undefined;

  /** Appends to the journal; a feed hears of it at the next `deliver`. */
  write(bytes: Uint8Array): void {
    this.note({ bytes });
    this.bytes = Buffer.concat([this.bytes, bytes]);
  }

  resize(size: TerminalSize): void {
    this.note({ resize: size });
    this.resizes.push({ offset: this.bytes.length, ...size });
  }

  end(exit: ExitView): void {
    this.note({ exit });
    this.exit = { offset: this.bytes.length, exit };
  }

  /** Hands the feed everything it has not got. */
  deliver(): void {
    const { feed } = this;
    if (feed === undefined) return;
    for (; feed.next < this.log.length; feed.next += 1) this.handOver(feed);
  }

  /** The link breaks: no delivery, no answers, until `return`. */
  leave(): void {
    this.isAway = true;
    this.feed = undefined;
  }

  return(): void {
    this.isAway = false;
  }

  closeFeed(code: ErrorCode): void {
    this.feed?.handlers.closed(code);
  }

  async follow({ from }: { readonly from?: number }, begin: (followed: Followed) => FeedHandlers): Promise<void> {
    this.requireThere();
    const offset = from ?? this.bytes.length;
    const next =
      from === undefined
        ? this.log.length
        : this.log.findIndex((entry) => endOf(entry) > from || (endOf(entry) === from && !('bytes' in entry.entry)));
    const size = sizesOf(this.resizes).sizeAt(offset);
    const handlers = begin({
      offset,
      ...size,
      acknowledge: (to) => (this.acknowledgedTo = to),
      hold: (forMs) => void this.holds.push(forMs),
      stop: () => (this.feed = undefined),
    });
    this.feed = { handlers, next: next === -1 ? this.log.length : next, offset };
  }

  async read({ from, limit }: { readonly from: number; readonly limit: number }): Promise<ReadResult> {
    this.requireThere();
    this.reads += 1;
    if (from < this.earliestOffset) {
      throw new ServiceError('session.output-pruned', 'pruned', { detail: { earliestOffset: this.earliestOffset } });
    }
    const bytes = new Uint8Array(this.bytes.subarray(from, from + limit));
    const nextOffset = from + bytes.length;
    const resizes = this.resizes.filter(({ offset }) => offset > from && offset <= nextOffset);
    const { earliestOffset } = this;
    const facts: ReadFacts = {
      epoch: 1,
      offset: from,
      nextOffset,
      earliestOffset,
      endOffset: this.bytes.length,
      ...sizesOf(this.resizes).sizeAt(from),
      resizes,
    };
    return { facts, bytes };
  }

  async exitOf(): ReturnType<StreamSource['exitOf']> {
    this.requireThere();
    return this.exit;
  }

  private note(entry: Entry): void {
    this.log.push({ offset: this.bytes.length, entry });
  }

  private handOver(feed: { handlers: FeedHandlers; next: number; offset: number }): void {
    const { offset, entry } = this.log[feed.next] as { offset: number; entry: Entry };
    if ('resize' in entry) feed.handlers.resized(offset, entry.resize);
    else if ('exit' in entry) feed.handlers.exited(offset, entry.exit);
    else {
      const skip = Math.max(0, feed.offset - offset);
      feed.handlers.output(offset + skip, new Uint8Array(entry.bytes.subarray(skip)));
    }
  }

  private requireThere(): void {
    if (this.isAway) throw new ServiceError('host.unreachable', 'away');
  }
}

function endOf({ offset, entry }: { offset: number; entry: Entry }): number {
  return 'bytes' in entry ? offset + entry.bytes.length : offset;
}

function sizesOf(resizes: readonly Resize[]): SizeTimeline {
  const sizes = new SizeTimeline(FIRST_SIZE);
  for (const resize of resizes) sizes.append(resize);
  return sizes;
}

/** Something a viewer was told beside bytes, and the offset it was at. */
export type Told = { readonly at: number } & (TerminalSize | { readonly exit: ExitView });

/** What a viewer was sent, checked for gaps and repeats as it comes. */
export class RecordingSink implements ViewerSink {
  isReady = true;
  isDrained = true;
  readonly told: Told[] = [];
  largest = 0;
  private readonly parts: Uint8Array[] = [];

  /** `offset` is that of the first byte it expects. */
  constructor(public offset: number) {}

  get bytes(): Buffer {
    return Buffer.concat(this.parts);
  }

  output(offset: number, bytes: Uint8Array): void {
    if (offset !== this.offset) throw new Error(`output at ${offset}, the viewer is at ${this.offset}`);
    this.parts.push(bytes);
    this.offset += bytes.length;
    this.largest = Math.max(this.largest, bytes.length);
  }

  resized(offset: number, size: TerminalSize): void {
    if (offset !== this.offset) throw new Error(`resized at ${offset}, the viewer is at ${this.offset}`);
    this.told.push({ at: offset, cols: size.cols, rows: size.rows });
  }

  exited(exit: ExitView): void {
    this.told.push({ at: this.offset, exit });
  }
}

/** Time that passes when told to. */
export class ManualClock implements StreamClock {
  private time = 0;
  private readonly timers = new Set<{ readonly at: number; readonly callback: () => void }>();

  now(): number {
    return this.time;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.time + ms, callback };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  advance(ms: number): void {
    this.time += ms;
    for (const timer of [...this.timers].filter(({ at }) => at <= this.time)) {
      this.timers.delete(timer);
      timer.callback();
    }
  }
}
