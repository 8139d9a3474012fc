/** One feed of the in-test supervisor: output from an offset on, in order, never more than the window unacknowledged. */
import { encodeEvent, encodeOutput, type Channel } from '@holdfast/attach-protocol';
import { FEED_WINDOW_BYTES } from '@holdfast/contracts';
import type { Entry, MemorySession } from './memory-session.js';

const CHUNK_BYTES = 64 * 1024;

export class MemoryFeed {
  private next: number;
  private acknowledgedTo: number;
  private readonly stopListening: () => void;

  constructor(
    readonly feed: number,
    private readonly session: MemorySession,
    private readonly channel: Channel,
    private cursor: number,
  ) {
    this.acknowledgedTo = cursor;
    const next = session.entries.findIndex((entry) =>
      entry.kind === 'bytes' ? entry.offset + entry.bytes.length > cursor : entry.offset > cursor,
    );
    this.next = next === -1 ? session.entries.length : next;
    this.stopListening = session.onChange(() => this.pump());
  }

  acknowledge(offset: number): void {
    this.acknowledgedTo = offset;
    this.pump();
  }

  stop(): void {
    this.stopListening();
  }

  pump(): void {
    for (let entry = this.session.entries[this.next]; entry !== undefined; entry = this.session.entries[this.next]) {
      if (!this.send(entry)) return;
    }
  }

  /** False when the window is full. */
  private send(entry: Entry): boolean {
    if (entry.kind !== 'bytes') {
      const { kind, ...facts } = entry;
      this.channel.send(encodeEvent({ event: kind, feed: this.feed, ...facts }));
      this.next += 1;
      return true;
    }
    const room = FEED_WINDOW_BYTES - (this.cursor - this.acknowledgedTo);
    const bytes = entry.bytes.subarray(this.cursor - entry.offset).subarray(0, Math.min(room, CHUNK_BYTES));
    if (bytes.length === 0) return false;
    this.channel.send(encodeOutput({ stream: this.feed, offset: this.cursor, bytes }));
    this.cursor += bytes.length;
    if (this.cursor === entry.offset + entry.bytes.length) this.next += 1;
    return true;
  }
}
