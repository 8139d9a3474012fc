/** One follower's way through a session's output: exact, in order, bounded by what it acknowledged. */
import { FEED_WINDOW_BYTES, type LinkEvent } from '@holdfast/contracts';
import type { Resize } from '@holdfast/domain-session';
import { ServiceError } from '@holdfast/kernel';
import type { SessionStream, StreamRead } from './session-stream.js';

/** Most bytes of one turn: feeds of a connection take turns. */
export const FEED_QUANTUM_BYTES = 64 * 1024;
/** Read from the journal at once: fewer, larger reads for a feed that lags. */
const JOURNAL_READ_BYTES = 256 * 1024;

export type FeedStep =
  | { readonly do: 'send'; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly do: 'tell'; readonly event: LinkEvent }
  /** Nothing can go out now: call again after the stream changed or the feed was acknowledged. */
  | { readonly do: 'wait' }
  /** The journal is being read; true = call again, false = it had nothing: as `wait`. */
  | { readonly do: 'load'; readonly then: Promise<boolean> }
  | { readonly do: 'close'; readonly event: LinkEvent };

/** Knows no transport: whoever owns it carries out its steps, in order, one after the other. */
export class Feed {
  private acknowledged: number;
  private sizeIndex: number;
  private exitTold = false;
  private loading: Promise<boolean> | undefined;
  private loaded: { readonly offset: number; readonly bytes: Uint8Array } | undefined;
  private obstacle: Exclude<StreamRead, { kind: 'bytes' | 'end' }> | ServiceError | undefined;

  /** `next`: offset of the next byte to send. */
  constructor(
    readonly id: number,
    private readonly stream: SessionStream,
    private next: number,
  ) {
    this.acknowledged = next;
    this.sizeIndex = stream.sizes.indexAt(next);
  }

  /** Size in force where the feed starts. */
  get startSize(): Resize {
    return this.stream.sizes.at(this.sizeIndex) as Resize;
  }

  /** Everything below `offset` was taken in. Nonsense (beyond what was sent) counts as all of it. */
  acknowledge(offset: number): void {
    this.acknowledged = Math.max(this.acknowledged, Math.min(offset, this.next));
  }

  /** The next thing to do. Bytes are sent once: the caller must send what it is given. */
  step(): FeedStep {
    const resize = this.stream.sizes.at(this.sizeIndex + 1);
    if (resize && resize.offset <= this.next) {
      this.sizeIndex += 1;
      return { do: 'tell', event: { event: 'resized', feed: this.id, ...resize } };
    }
    const { ended } = this.stream;
    if (ended && !this.exitTold && this.next >= ended.offset) {
      this.exitTold = true;
      return { do: 'tell', event: { event: 'exit', feed: this.id, offset: ended.offset, exit: ended.exit } };
    }
    return this.stepBytes(resize);
  }

  private stepBytes(resize: Resize | undefined): FeedStep {
    const allowed = FEED_WINDOW_BYTES - (this.next - this.acknowledged);
    if (allowed <= 0) return { do: 'wait' };
    const untilResize = resize ? resize.offset - this.next : FEED_QUANTUM_BYTES;
    const part = this.take(Math.min(allowed, untilResize, FEED_QUANTUM_BYTES));
    if (part === 'load') return { do: 'load', then: this.load() };
    if (part === 'wait') return { do: 'wait' };
    if (!(part instanceof Uint8Array)) return { do: 'close', event: { event: 'feed-closed', feed: this.id, code: part.code } };
    const offset = this.next;
    this.next += part.length;
    return { do: 'send', offset, bytes: part };
  }

  private take(maxBytes: number): Uint8Array | 'wait' | 'load' | { readonly code: string } {
    if (this.loaded) {
      const from = this.next - this.loaded.offset;
      if (from < this.loaded.bytes.length) return this.loaded.bytes.subarray(from, from + maxBytes);
      this.loaded = undefined;
    }
    if (this.obstacle) return { code: codeOf(this.obstacle) };
    const inMemory = this.stream.peek(this.next, maxBytes);
    if (inMemory?.kind === 'bytes') return inMemory.bytes;
    return inMemory || this.loading ? 'wait' : 'load';
  }

  private load(): Promise<boolean> {
    const offset = this.next;
    this.loading ??= this.stream
      .read(offset, JOURNAL_READ_BYTES)
      .then((part) => {
        if (part.kind === 'bytes') this.loaded = { offset, bytes: part.bytes };
        else if (part.kind !== 'end') this.obstacle = part;
        return part.kind !== 'end';
      })
      .catch((error: unknown) => {
        this.obstacle = ServiceError.from(error);
        return true;
      })
      .finally(() => {
        this.loading = undefined;
      });
    return this.loading;
  }
}

function codeOf(obstacle: Exclude<StreamRead, { kind: 'bytes' | 'end' }> | ServiceError): string {
  if (obstacle instanceof ServiceError) return obstacle.code;
  return obstacle.kind === 'pruned' ? 'session.output-pruned' : 'session.output-gap';
}
