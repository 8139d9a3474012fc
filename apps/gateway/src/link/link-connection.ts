/** One connection to a supervisor: its hello, requests, and the feeds that end with it. */
import {
  Channel,
  PROTOCOL_VERSION,
  encodeAck,
  encodeEvent,
  encodeHello,
  requireSupportedVersion,
  type Answer,
  type Event,
  type Hello,
  type JsonObject,
  type Message,
} from '@holdfast/attach-protocol';
import { exitSchema } from '@holdfast/contracts';
import { ServiceError, isErrorCode, withDeadline, type ErrorCode } from '@holdfast/kernel';
import { connect } from 'node:net';
import { z } from 'zod';
import type { FeedHandlers, Followed } from '../streaming/stream-source.port.js';

/** Most a supervisor takes to accept and say hello; one that is stopped accepts and stays silent. */
export const HELLO_DEADLINE_MS = 2_000;

const UNFOLLOW_DEADLINE_MS = 5_000;
const BUILD = 'gateway';
const helloFactsSchema = z.object({ hostId: z.string(), instance: z.string(), term: z.int() });
/** Who is at the other end. */
export type LinkHost = z.infer<typeof helloFactsSchema>;

const followedSchema = z.object({ feed: z.int(), offset: z.int().min(0), cols: z.int(), rows: z.int() });
const feedEventSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('resized'), feed: z.int(), offset: z.int(), cols: z.int(), rows: z.int() }),
  z.object({ event: z.literal('exit'), feed: z.int(), offset: z.int(), exit: exitSchema }),
  z.object({ event: z.literal('feed-closed'), feed: z.int(), code: z.string() }),
]);

export class LinkConnection {
  /** Settles with the connection, with what broke it. */
  readonly ended: Promise<ServiceError | undefined>;
  private readonly channel: Channel;
  private readonly feeds = new Map<number, FeedHandlers>();
  /** What came for feeds whose follow is not answered yet: the answer and the first bytes may share one read. */
  private early: Message[] = [];
  private openFollows = 0;
  private readonly unfollowed = new Set<number>();
  private onHello: (hello: Hello) => void = () => undefined;
  private facts: LinkHost | undefined;

  private constructor(socketPath: string) {
    let settle: (error: ServiceError | undefined) => void;
    this.ended = new Promise((resolve) => (settle = resolve));
    this.channel = new Channel(connect(socketPath), { onMessage: (message) => this.receive(message), onClose: (error) => settle(error) });
  }

  /** Connects and exchanges hellos. @throws ServiceError `host.unreachable`, `deadline.exceeded`, `protocol.unsupported-version`. */
  static async open(socketPath: string, deadlineMs = HELLO_DEADLINE_MS): Promise<LinkConnection> {
    const connection = new LinkConnection(socketPath);
    try {
      connection.facts = await withDeadline(connection.shakeHands(), deadlineMs, `hello of the supervisor at ${socketPath}`);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  get host(): LinkHost {
    return this.facts as LinkHost;
  }

  close(): void {
    this.channel.close();
  }

  request(verb: string, args: JsonObject, deadlineMs: number): Promise<Answer> {
    return this.channel.request(verb, args, deadlineMs);
  }

  requestWithBytes(verb: string, args: JsonObject, bytes: Uint8Array, deadlineMs: number): Promise<Answer> {
    return this.channel.requestWithBytes(verb, args, asBuffer(bytes), deadlineMs);
  }

  /** Input of a viewer. Writes leave in the order of the calls. */
  writeInput(input: { viewer: number; viewerId: string; seq: number; bytes: Uint8Array }, deadlineMs: number): Promise<Answer> {
    return this.channel.write({ stream: input.viewer, viewerId: input.viewerId, seq: input.seq, bytes: asBuffer(input.bytes) }, deadlineMs);
  }

  /**
   * `begin` is called as soon as the answer is there, before anything of the feed is delivered.
   * A feed whose answer came too late is unfollowed when its first bytes come.
   */
  async follow(args: JsonObject, deadlineMs: number, begin: (followed: Followed) => FeedHandlers): Promise<void> {
    this.openFollows += 1;
    try {
      const { head } = await this.channel.request('follow', args, deadlineMs);
      const { feed, ...start } = followedSchema.parse(head);
      const followed = {
        ...start,
        acknowledge: (offset: number) => this.acknowledge(feed, offset),
        hold: (forMs: number) => this.hold(feed, forMs),
        stop: () => this.unfollow(feed),
      };
      this.feeds.set(feed, begin(followed));
    } finally {
      this.openFollows -= 1;
      this.deliverEarly();
    }
  }

  private async shakeHands(): Promise<LinkHost> {
    const hello = new Promise<Hello>((resolve) => (this.onHello = resolve));
    this.channel.send(encodeHello({ protocol: PROTOCOL_VERSION, build: BUILD, features: [] }));
    const first = await Promise.race([hello, this.ended]);
    if (first instanceof ServiceError || first === undefined) {
      throw new ServiceError('host.unreachable', 'the supervisor cannot be reached', { cause: first });
    }
    requireSupportedVersion(first);
    return helloFactsSchema.parse(first);
  }

  private receive(message: Message): void {
    if (message.type === 'hello') this.onHello(message.hello);
    else if (message.type === 'output' || message.type === 'event') this.deliver(owned(message));
  }

  private deliver(message: Message): void {
    const feed = feedOf(message);
    const handlers = feed === undefined ? undefined : this.feeds.get(feed);
    if (handlers !== undefined) hand(message, handlers);
    else if (feed === undefined || this.unfollowed.has(feed)) return;
    else if (this.openFollows > 0) this.early.push(message);
    else this.unfollow(feed);
  }

  private deliverEarly(): void {
    const early = this.early;
    this.early = [];
    for (const message of early) this.deliver(message);
  }

  private acknowledge(feed: number, offset: number): void {
    this.channel.send(encodeAck({ stream: feed, offset }));
  }

  private hold(feed: number, forMs: number): void {
    this.channel.send(encodeEvent({ event: 'hold', feed, forMs }));
  }

  /** What the supervisor still sends for it is dropped; a lost request only leaves a feed that stops at its window. */
  private unfollow(feed: number): void {
    this.feeds.delete(feed);
    this.unfollowed.add(feed);
    if (this.channel.isOpen) this.channel.request('unfollow', { feed }, UNFOLLOW_DEADLINE_MS).catch(() => undefined);
  }
}

/** Bytes in a message are views into the receive buffer; what is kept must be a copy. */
function owned(message: Message): Message {
  if (message.type !== 'output') return message;
  return { type: 'output', output: { ...message.output, bytes: Buffer.from(message.output.bytes) } };
}

function feedOf(message: Message): number | undefined {
  if (message.type === 'output') return message.output.stream;
  const feed = message.type === 'event' ? message.event['feed'] : undefined;
  return typeof feed === 'number' ? feed : undefined;
}

function hand(message: Message, handlers: FeedHandlers): void {
  if (message.type === 'output') handlers.output(message.output.offset, message.output.bytes);
  else if (message.type === 'event') handEvent(message.event, handlers);
}

/** Events this build does not know are skipped (rule H6). */
function handEvent(event: Event, handlers: FeedHandlers): void {
  const parsed = feedEventSchema.safeParse(event);
  if (!parsed.success) return;
  switch (parsed.data.event) {
    case 'resized':
      handlers.resized(parsed.data.offset, { cols: parsed.data.cols, rows: parsed.data.rows });
      return;
    case 'exit':
      handlers.exited(parsed.data.offset, parsed.data.exit);
      return;
    case 'feed-closed':
      handlers.closed(codeOf(parsed.data.code));
      return;
  }
}

function codeOf(code: string): ErrorCode {
  return isErrorCode(code) ? code : 'internal';
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
