/** One stream of output, followed once over the link and fanned out to any number of viewers. */
import type { ExitView } from '@holdfast/contracts';
import type { Resize, TerminalSize } from '@holdfast/domain-session';
import type { ErrorCode } from '@holdfast/kernel';
import { FloodPace, HOLD_MS } from './flood-pace.js';
import { OutputSpan } from './output-span.js';
import type { FeedHandlers, Followed, ReadResult, StreamClock, StreamId, StreamSource } from './stream-source.port.js';

/** Newest output kept in memory per stream. A viewer further behind is served from the journal, exact all the same. */
export const FEED_SPAN_BYTES = 2 * 1024 * 1024;
/** The source hears of progress this often: well below its window of 1 MiB, and not once per keystroke. */
export const FEED_ACK_BYTES = 64 * 1024;

export interface FeedListener {
  /** Something is new: bytes, a size, an exit, or the feed goes on after a break. */
  feedChanged(): void;
  feedClosed(code: ErrorCode): void;
  /** What it acknowledged, while it keeps up closely enough to set the pace; else undefined. */
  pacingOffset(): number | undefined;
}

/** Takes in output as fast as it comes: no viewer slows it. A flood is held to the pace of the viewers that keep up. */
export class OutputFeed {
  private readonly listeners = new Set<FeedListener>();
  private span: OutputSpan | undefined;
  private followed: Followed | undefined;
  private acknowledgedTo = 0;
  private readonly pace = new FloodPace();
  private exitFact: { readonly offset: number; readonly exit: ExitView } | undefined;

  constructor(
    readonly stream: StreamId,
    private readonly source: StreamSource,
    private readonly clock: StreamClock,
  ) {}

  /** What is at hand; undefined before the first follow succeeded. */
  get live(): OutputSpan | undefined {
    return this.span;
  }

  get exit(): { readonly offset: number; readonly exit: ExitView } | undefined {
    return this.exitFact;
  }

  /** False between a break of the source and the next successful `follow`. */
  get isFollowing(): boolean {
    return this.followed !== undefined;
  }

  add(listener: FeedListener): void {
    this.listeners.add(listener);
  }

  remove(listener: FeedListener): void {
    this.listeners.delete(listener);
  }

  /**
   * Follows from the live end, or from where an earlier follow broke; does nothing when it follows. `mayHaveEnded`: asks for
   * the exit too, since a feed that starts behind it is not told. Not to be called again before it settled.
   * @throws ServiceError what the source says.
   */
  async follow(mayHaveEnded: boolean): Promise<void> {
    if (!this.isFollowing) {
      const from = this.span === undefined ? {} : { from: this.span.end };
      await this.source.follow({ ...this.stream, ...from }, (followed) => this.begin(followed));
    }
    if (!mayHaveEnded || this.exitFact !== undefined) return;
    const exit = await this.source.exitOf(this.stream);
    if (exit !== undefined) this.noteExit(exit.offset, exit.exit);
  }

  /** A viewer acknowledged, or the feed grew: holds the flood or lets it go on. */
  keepPace(): void {
    const offsets = [...this.listeners].flatMap((listener) => listener.pacingOffset() ?? []);
    const lagBytes = offsets.length === 0 ? undefined : (this.span?.end ?? 0) - Math.min(...offsets);
    const decision = this.pace.decide(lagBytes, this.clock.now());
    if (decision === 'hold') this.followed?.hold(HOLD_MS);
    else if (decision === 'release') this.followed?.hold(0);
  }

  /** The source is gone; viewers go on with what is at hand. */
  interrupt(): void {
    this.followed = undefined;
  }

  stop(): void {
    this.followed?.stop();
    this.followed = undefined;
  }

  read(from: number, limit: number): Promise<ReadResult> {
    return this.source.read({ ...this.stream, from, limit });
  }

  /** Ends the stream for everybody: no viewer is further than the feed, so what it cannot have, none can. */
  close(code: ErrorCode): void {
    this.stop();
    for (const listener of this.listeners) listener.feedClosed(code);
  }

  private begin(followed: Followed): FeedHandlers {
    this.followed = followed;
    this.acknowledgedTo = followed.offset;
    this.openSpanAt(followed);
    this.notify();
    const isCurrent = (): boolean => this.followed === followed;
    return {
      output: (offset, bytes) => isCurrent() && this.takeIn(offset, bytes),
      resized: (offset, size) => isCurrent() && this.noteResize({ offset, ...size }),
      exited: (offset, exit) => isCurrent() && this.noteExit(offset, exit),
      closed: (code) => isCurrent() && this.close(code),
    };
  }

  private openSpanAt({ offset, cols, rows }: Followed): void {
    const size: TerminalSize = { cols, rows };
    if (this.span === undefined) this.span = new OutputSpan(offset, size);
    else if (offset === this.span.end) this.span.resize({ offset, ...size });
    else if (offset > this.span.end) this.span.restartAt(offset, size);
  }

  /** Bytes that are here already are skipped; after a jump the viewers fetch what lies between. */
  private takeIn(offset: number, bytes: Uint8Array): void {
    const span = this.span as OutputSpan;
    const known = span.end - offset;
    if (known >= bytes.length) return;
    if (known < 0) span.restartAt(offset, span.sizeAt(offset));
    span.append(span.end, known > 0 ? bytes.subarray(known) : bytes);
    span.trimTo(FEED_SPAN_BYTES);
    if (span.end - this.acknowledgedTo >= FEED_ACK_BYTES) {
      this.acknowledgedTo = span.end;
      this.followed?.acknowledge(span.end);
    }
    this.notify();
    this.keepPace();
  }

  private noteResize(resize: Resize): void {
    this.span?.resize(resize);
    this.notify();
  }

  /** The feed's own event knows the offset best; what was asked for says "at the end", which is never too early. */
  private noteExit(offset: number, exit: ExitView): void {
    if (this.exitFact !== undefined && this.exitFact.offset <= offset) return;
    this.exitFact = { offset, exit };
    this.notify();
  }

  private notify(): void {
    for (const listener of this.listeners) listener.feedChanged();
  }
}
