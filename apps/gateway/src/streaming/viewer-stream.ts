/** One viewer's way through a stream: where it is, what it was told, how much it may still be sent. */
import { VIEWER_ACK_BYTES, VIEWER_WINDOW_BYTES } from '@holdfast/contracts';
import type { TerminalSize } from '@holdfast/domain-session';
import { ServiceError, type ErrorCode } from '@holdfast/kernel';
import { PACE_RECENT_MS } from './flood-pace.js';
import type { FeedListener, OutputFeed } from './output-feed.js';
import { OutputSpan } from './output-span.js';
import { sameSize } from './size-timeline.js';
import type { ReadResult, StreamClock, ViewerSink } from './stream-source.port.js';
import type { TurnScheduler, TurnTaker } from './turn-scheduler.js';

/** Most bytes of one turn: small enough that others' echo does not wait, large enough that framing costs nothing. */
export const TURN_BYTES = 64 * 1024;
/** Bytes fetched at a time for a viewer that is behind the live span: half its window. */
export const CATCH_UP_READ_BYTES = 256 * 1024;
/** A viewer that owes an acknowledgement and is silent for this long, with nothing left in the transport, is not there any more. */
export const VIEWER_SILENCE_MS = 30_000;
/** Pause before a failed or empty fetch is tried again while the source is there. */
export const CATCH_UP_RETRY_MS = 100;

export interface ViewerStreamOptions {
  readonly feed: OutputFeed;
  readonly sink: ViewerSink;
  readonly scheduler: TurnScheduler;
  readonly clock: StreamClock;
  /** Of the first byte to send. */
  readonly offset: number;
  /** What the viewer was told its size is at `offset`. */
  readonly size: TerminalSize;
  /** Output from `offset` that was read already. */
  readonly ahead?: OutputSpan;
  /** The stream ended by itself and cannot go on. */
  readonly onGivenUp: (code: ErrorCode) => void;
}

/**
 * Sends every byte from its offset on exactly once and in order; a resize when everything below its offset was sent,
 * the exit likewise. What the live span has no more is fetched. Sends nothing before `start`.
 */
export class ViewerStream implements TurnTaker, FeedListener {
  private state: 'waiting' | 'flowing' | 'ended' = 'waiting';
  private cursor: number;
  private acknowledgedTo: number;
  private toldSize: TerminalSize;
  private toldExit = false;
  private fetched: OutputSpan | undefined;
  private isFetching = false;
  private quietSince: number;
  private acknowledgedAtMs: number;
  private cancelRetry: (() => void) | undefined;

  constructor(private readonly options: ViewerStreamOptions) {
    this.cursor = options.offset;
    this.acknowledgedTo = options.offset;
    this.toldSize = options.size;
    this.fetched = options.ahead;
    this.quietSince = options.clock.now();
    this.acknowledgedAtMs = this.quietSince;
    options.feed.add(this);
  }

  /** Offset after the last byte sent. */
  get offset(): number {
    return this.cursor;
  }

  get unacknowledgedBytes(): number {
    return this.cursor - this.acknowledgedTo;
  }

  start(): void {
    if (this.state !== 'waiting') return;
    this.state = 'flowing';
    this.wake();
  }

  /** The transport has room again. */
  wake(): void {
    if (this.state === 'flowing') this.options.scheduler.wake(this);
  }

  feedChanged(): void {
    this.wake();
  }

  feedClosed(code: ErrorCode): void {
    this.giveUp(code);
  }

  /** Everything below `offset` was taken in. What was never sent cannot be acknowledged: it counts as all that was. */
  acknowledge(offset: number): void {
    this.quietSince = this.options.clock.now();
    this.acknowledgedAtMs = this.quietSince;
    this.acknowledgedTo = Math.max(this.acknowledgedTo, Math.min(offset, this.cursor));
    this.wake();
    this.options.feed.keepPace();
  }

  pacingOffset(): number | undefined {
    const isRecent = this.options.clock.now() - this.acknowledgedAtMs <= PACE_RECENT_MS;
    return this.state === 'flowing' && isRecent && this.options.feed.live?.covers(this.acknowledgedTo) ? this.acknowledgedTo : undefined;
  }

  /** Ends the viewer when it owes an acknowledgement for too long. To be called every second or so. */
  checkSilence(): void {
    const now = this.options.clock.now();
    if (this.unacknowledgedBytes < VIEWER_ACK_BYTES || !this.options.sink.isDrained) this.quietSince = now;
    else if (now - this.quietSince >= VIEWER_SILENCE_MS) this.giveUp('viewer.slow');
  }

  /** Final; nothing is sent any more. */
  end(): void {
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.fetched = undefined;
    this.cancelRetry?.();
    this.options.feed.remove(this);
    this.options.scheduler.forget(this);
  }

  takeTurn(): boolean {
    if (this.state !== 'flowing') return false;
    const span = this.spanAtCursor();
    if (span === undefined) {
      this.fetch();
      return false;
    }
    this.tellWhatIsDue(span);
    const room = this.room();
    const most = Math.min(room, TURN_BYTES, this.nextStop(span) - this.cursor);
    const bytes = most > 0 ? span.take(this.cursor, most) : undefined;
    if (bytes === undefined || bytes.length === 0) return false;
    this.options.sink.output(this.cursor, bytes);
    this.cursor += bytes.length;
    if (this.isEnded()) return false;
    this.tellWhatIsDue(span);
    return room > bytes.length && (this.cursor < span.end || span !== this.options.feed.live);
  }

  private giveUp(code: ErrorCode): void {
    if (this.state === 'ended') return;
    this.end();
    this.options.onGivenUp(code);
  }

  /** `sink` calls may end the viewer; TypeScript cannot see that through a method call. */
  private isEnded(): boolean {
    return this.state === 'ended';
  }

  /** Bytes the viewer may be sent now. */
  private room(): number {
    return this.options.sink.isReady ? VIEWER_WINDOW_BYTES - this.unacknowledgedBytes : 0;
  }

  /** The live span as soon as it reaches back far enough, else what was fetched, while it lasts. */
  private spanAtCursor(): OutputSpan | undefined {
    const { live } = this.options.feed;
    if (live?.covers(this.cursor)) {
      this.fetched = undefined;
      return live;
    }
    if (this.fetched?.covers(this.cursor) && this.cursor < this.fetched.end) return this.fetched;
    this.fetched = undefined;
    return undefined;
  }

  /** Output is cut where something is to be told between two bytes. */
  private nextStop(span: OutputSpan): number {
    const exitAt = this.toldExit ? Infinity : (this.options.feed.exit?.offset ?? Infinity);
    return Math.min(span.nextResizeAfter(this.cursor), exitAt);
  }

  private tellWhatIsDue(span: OutputSpan): void {
    const size = span.sizeAt(this.cursor);
    if (!sameSize(size, this.toldSize)) {
      this.toldSize = size;
      this.options.sink.resized(this.cursor, size);
    }
    const { exit } = this.options.feed;
    if (exit === undefined || this.toldExit || this.cursor < exit.offset) return;
    this.toldExit = true;
    this.options.sink.exited(exit.exit);
  }

  /** One fetch at a time, and none for a viewer that could not be sent it. While the source is away the feed's return wakes us. */
  private fetch(): void {
    if (this.isFetching || this.cancelRetry || this.room() <= 0 || !this.options.feed.isFollowing) return;
    this.isFetching = true;
    this.options.feed
      .read(this.cursor, CATCH_UP_READ_BYTES)
      .then((result) => this.takeFetched(result))
      .catch((error: unknown) => this.fetchFailed(ServiceError.from(error)));
  }

  private takeFetched({ facts, bytes }: ReadResult): void {
    this.isFetching = false;
    if (this.state !== 'flowing') return;
    if (facts.offset !== this.cursor) this.giveUp('session.output-gap');
    else if (bytes.length === 0) this.retryLater();
    else {
      this.fetched = spanOf({ facts, bytes });
      this.wake();
    }
  }

  private fetchFailed(error: ServiceError): void {
    this.isFetching = false;
    if (this.state !== 'flowing') return;
    if (error.retry === 'never') this.giveUp(error.code);
    else this.retryLater();
  }

  private retryLater(): void {
    this.cancelRetry = this.options.clock.after(CATCH_UP_RETRY_MS, () => {
      this.cancelRetry = undefined;
      this.wake();
    });
  }
}

/** What a read gave, as a span. */
export function spanOf({ facts, bytes }: ReadResult): OutputSpan {
  const span = new OutputSpan(facts.offset, { cols: facts.cols, rows: facts.rows });
  span.append(facts.offset, bytes);
  for (const resize of facts.resizes) span.resize(resize);
  return span;
}
