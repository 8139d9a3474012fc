/** Feeds of one link connection taking turns on its socket, as fast as the socket takes it. */
import { encodeEvent, encodeOutputPrefix } from '@holdfast/attach-protocol';
import type { Socket } from 'node:net';
import type { Feed } from './feed.js';

/** Bytes in the socket's own queue before we stop adding: enough to keep it busy, little enough for a fair turn. */
export const LINK_QUEUE_BYTES = 256 * 1024;

/** Small output goes out at once: no timer holds it. */
export class FeedScheduler {
  private readonly feeds = new Map<number, { readonly feed: Feed; readonly unfollow: () => void }>();
  private readonly ready = new Set<number>();
  private pumping = false;

  constructor(private readonly socket: Socket) {
    socket.on('drain', () => this.pump());
  }

  /** `follow` subscribes to changes of the feed's stream. The feed starts at the next `wake`. */
  add(feed: Feed, follow: (onChange: () => void) => () => void): void {
    this.feeds.set(feed.id, { feed, unfollow: follow(() => this.wake(feed.id)) });
  }

  remove(feedId: number): void {
    this.feeds.get(feedId)?.unfollow();
    this.feeds.delete(feedId);
    this.ready.delete(feedId);
  }

  acknowledge(feedId: number, offset: number): void {
    this.feeds.get(feedId)?.feed.acknowledge(offset);
    this.wake(feedId);
  }

  /** Something changed for this feed: it gets its turn. */
  wake(feedId: number): void {
    if (!this.feeds.has(feedId)) return;
    this.ready.add(feedId);
    this.pump();
  }

  close(): void {
    for (const feedId of [...this.feeds.keys()]) this.remove(feedId);
  }

  private pump(): void {
    if (this.pumping || this.ready.size === 0) return;
    this.pumping = true;
    this.socket.cork();
    try {
      while (this.ready.size > 0 && !this.socket.destroyed && this.socket.writableLength < LINK_QUEUE_BYTES) this.turn();
    } finally {
      this.socket.uncork();
      this.pumping = false;
    }
  }

  /** The feed that waited longest has its turn; it goes to the end of the line when it has more. */
  private turn(): void {
    const feedId = this.ready.values().next().value as number;
    this.ready.delete(feedId);
    const feed = this.feeds.get(feedId)?.feed;
    if (feed && this.carryOut(feed)) this.ready.add(feedId);
  }

  /** True when the feed may have more to do at once. */
  private carryOut(feed: Feed): boolean {
    const step = feed.step();
    switch (step.do) {
      case 'send':
        this.socket.write(encodeOutputPrefix(feed.id, step.offset, step.bytes.length));
        this.socket.write(step.bytes);
        return true;
      case 'tell':
        this.socket.write(encodeEvent(step.event));
        return true;
      case 'close':
        this.socket.write(encodeEvent(step.event));
        this.remove(feed.id);
        return false;
      case 'load':
        void step.then.then((more) => (more ? this.wake(feed.id) : undefined));
        return false;
      case 'wait':
        return false;
    }
  }
}
