/** The feeds of this gateway: one per stream while somebody views it, followed again whenever the source comes back. */
import { ServiceError } from '@holdfast/kernel';
import { OutputFeed } from './output-feed.js';
import type { StreamClock, StreamId, StreamSource } from './stream-source.port.js';

/** Pause before a follow is tried again while the source is there but cannot serve it (a stopped holder). */
export const FOLLOW_RETRY_MS = 200;

interface Entry {
  readonly feed: OutputFeed;
  readonly opened: Promise<void>;
  holders: number;
  isConnecting: boolean;
}

/** Owns the feeds: who holds one must release it, and the last release stops it. */
export class FeedDirectory {
  private readonly entries = new Map<string, Entry>();
  private isSourceUp = true;

  constructor(
    private readonly source: StreamSource,
    private readonly clock: StreamClock,
  ) {}

  /** The feed of a stream, following. `mayHaveEnded`: the session is known to have ended. @throws ServiceError what the source says. */
  async hold(stream: StreamId, mayHaveEnded: boolean): Promise<OutputFeed> {
    const entry = this.entries.get(keyOf(stream)) ?? this.open(stream, mayHaveEnded);
    entry.holders += 1;
    try {
      await entry.opened;
      return entry.feed;
    } catch (error) {
      this.release(entry.feed);
      throw error;
    }
  }

  /** To be called once for each `hold` that succeeded. */
  release(feed: OutputFeed): void {
    const key = keyOf(feed.stream);
    const entry = this.entries.get(key);
    if (entry?.feed !== feed) return;
    entry.holders -= 1;
    if (entry.holders > 0) return;
    this.entries.delete(key);
    feed.stop();
  }

  /** The source broke. */
  interrupt(): void {
    this.isSourceUp = false;
    for (const { feed } of this.entries.values()) feed.interrupt();
  }

  /** The source is back: every feed goes on where it was. */
  resume(): void {
    this.isSourceUp = true;
    for (const entry of this.entries.values()) void this.reconnect(entry);
  }

  private open(stream: StreamId, mayHaveEnded: boolean): Entry {
    const feed = new OutputFeed(stream, this.source, this.clock);
    const entry: Entry = { feed, opened: feed.follow(mayHaveEnded), holders: 0, isConnecting: true };
    const settle = (): void => void (entry.isConnecting = false);
    entry.opened.then(settle, settle);
    this.entries.set(keyOf(stream), entry);
    return entry;
  }

  /** While the source was away the session may have ended, so that is always asked. Never rejects. */
  private async reconnect(entry: Entry): Promise<void> {
    if (entry.isConnecting) return;
    entry.isConnecting = true;
    const failure = await entry.feed.follow(true).then(
      () => undefined,
      (error: unknown) => ServiceError.from(error),
    );
    entry.isConnecting = false;
    if (!this.isHeld(entry)) entry.feed.stop();
    else if (failure?.retry === 'never') entry.feed.close(failure.code);
    else if (failure !== undefined || !entry.feed.isFollowing) this.reconnectLater(entry);
  }

  /** While the source is away nothing is tried: its return tries everything. */
  private reconnectLater(entry: Entry): void {
    if (!this.isSourceUp) return;
    this.clock.after(FOLLOW_RETRY_MS, () => {
      if (this.isHeld(entry)) void this.reconnect(entry);
    });
  }

  private isHeld(entry: Entry): boolean {
    return this.entries.get(keyOf(entry.feed.stream)) === entry;
  }
}

function keyOf({ sessionId, epoch }: StreamId): string {
  return `${sessionId}/${epoch}`;
}
