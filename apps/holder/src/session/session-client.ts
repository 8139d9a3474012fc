/** One reader of a session's output: sent as it comes, let go ahead when it does not keep up, never waited for. */
import { encodeDurable, encodeEvent, encodeOutputPrefix, type Event } from '@holdfast/attach-protocol';
import type { Peer } from '../protocol/peer.js';
import type { OutputChunk } from './output-gatherer.js';

/** Unsent bytes at which sending stops; what is left out is on disk by the time the reader has drained. */
export const MAX_UNSENT_OUTPUT_BYTES = 1024 * 1024;

export class SessionClient {
  private behind = false;

  /** `resumeChunks` gives what is not on disk yet, oldest first, and where the disk ends. */
  constructor(
    private readonly peer: Peer,
    private readonly resumeChunks: () => {
      readonly offset: number;
      readonly chunks: readonly { readonly offset: number; readonly bytes: Buffer }[];
    },
  ) {
    peer.channel.socket.on('drain', () => this.drained());
  }

  sendOutput(chunk: OutputChunk): void {
    if (this.behind || !this.peer.channel.isOpen) return;
    if (this.peer.unsentBytes > MAX_UNSENT_OUTPUT_BYTES) {
      this.behind = true;
      return;
    }
    const { socket } = this.peer.channel;
    chunk.slab.retain();
    socket.cork();
    socket.write(encodeOutputPrefix(0, chunk.offset, chunk.bytes.length));
    socket.write(chunk.bytes, () => chunk.slab.release());
    socket.uncork();
  }

  sendEvent(event: Event): void {
    this.peer.send(encodeEvent(event));
  }

  sendDurable(offset: number): void {
    if (!this.behind) this.peer.send(encodeDurable({ stream: 0, offset }));
  }

  /** Sends everything that is not on disk; whoever reads takes the rest from the journal. Copies: the slabs may go on. */
  sendPending(): void {
    const { offset, chunks } = this.resumeChunks();
    this.send(offset, Buffer.alloc(0));
    for (const chunk of chunks) {
      const from = Math.max(0, offset - chunk.offset);
      if (from < chunk.bytes.length) this.send(chunk.offset + from, Buffer.from(chunk.bytes.subarray(from)));
    }
  }

  /** The output is complete and on disk: whoever is behind learns where it ends. */
  finish(): void {
    this.drained();
  }

  private drained(): void {
    if (!this.behind) return;
    this.behind = false;
    this.sendPending();
  }

  private send(offset: number, bytes: Buffer): void {
    const { socket, isOpen } = this.peer.channel;
    if (!isOpen) return;
    socket.write(encodeOutputPrefix(0, offset, bytes.length));
    if (bytes.length > 0) socket.write(bytes);
  }
}
