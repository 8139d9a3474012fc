/** A gateway's end of the link, as small as a test needs it. */
import {
  Channel,
  PROTOCOL_VERSION,
  encodeAck,
  encodeHello,
  type Answer,
  type Event,
  type JsonObject,
  type Message,
} from '@holdfast/attach-protocol';
import type { CreateSession, KillReport, LinkVerbs, Session } from '@holdfast/contracts';
import { waitFor } from '@holdfast/testing';
import { once } from 'node:events';
import { connect } from 'node:net';

const DEADLINE_MS = 30_000;

/** What a feed sent, in order. */
export class Received {
  readonly events: Event[] = [];
  isContinuous = true;
  length = 0;
  private chunks: Buffer[] = [];

  constructor(
    readonly feed: number,
    readonly start: number,
  ) {}

  get bytes(): Buffer {
    if (this.chunks.length > 1) this.chunks = [Buffer.concat(this.chunks)];
    return this.chunks[0] ?? Buffer.alloc(0);
  }

  /** An event carries the offset it came at as `after`. */
  take(message: Message): void {
    if (message.type === 'event') this.events.push({ ...message.event, after: this.start + this.length });
    if (message.type !== 'output') return;
    if (message.output.offset !== this.start + this.length) this.isContinuous = false;
    this.chunks.push(Buffer.from(message.output.bytes));
    this.length += message.output.bytes.length;
  }
}

export class LinkClient {
  readonly feeds = new Map<number, Received>();
  hello: JsonObject = {};
  /** Feeds are acknowledged as they come, unless this is false. */
  acknowledges = true;
  private channel!: Channel;
  private early: Message[] = [];

  static async connect(path: string): Promise<LinkClient> {
    const client = new LinkClient();
    const socket = connect({ path });
    await once(socket, 'connect');
    client.channel = new Channel(socket, { onMessage: (message) => client.receive(message), onClose: () => {} });
    client.channel.send(encodeHello({ protocol: PROTOCOL_VERSION, build: 'test', features: [] }));
    await waitFor(() => client.hello['hostId'], { what: 'hello' });
    return client;
  }

  get isOpen(): boolean {
    return this.channel.isOpen;
  }

  close(): void {
    this.channel.close();
  }

  ask(verb: string, args: JsonObject = {}): Promise<Answer> {
    return this.channel.request(verb, args, DEADLINE_MS);
  }

  async create(spec: Partial<CreateSession>): Promise<{ session: Session; created: boolean }> {
    return (await this.ask('create', { spec: { command: ['/bin/sh'], ...spec } })).head as unknown as LinkVerbs['create'][1];
  }

  async get(sessionId: string): Promise<Session> {
    return ((await this.ask('get', { sessionId })).head as unknown as LinkVerbs['get'][1]).session;
  }

  async list(): Promise<Session[]> {
    return ((await this.ask('list')).head as unknown as LinkVerbs['list'][1]).sessions;
  }

  async kill(sessionId: string, args: JsonObject = {}): Promise<KillReport> {
    return ((await this.ask('kill', { sessionId, ...args })).head as unknown as LinkVerbs['kill'][1]).report;
  }

  async follow(sessionId: string, from?: number): Promise<Received> {
    const { head } = await this.ask('follow', { sessionId, epoch: 1, ...(from === undefined ? {} : { from }) });
    const { feed, offset } = head as unknown as LinkVerbs['follow'][1];
    const received = new Received(feed, offset);
    this.feeds.set(feed, received);
    this.early.splice(0).forEach((message) => this.receive(message));
    return received;
  }

  async type(sessionId: string, text: string): Promise<number> {
    return (await this.channel.requestWithBytes('write', { sessionId }, Buffer.from(text), DEADLINE_MS)).head['accepted'] as number;
  }

  writeAs(viewer: number, seq: number, text: string): Promise<Answer> {
    return this.channel.write({ stream: viewer, seq, viewerId: '', bytes: Buffer.from(text) }, DEADLINE_MS);
  }

  acknowledge(received: Received): void {
    this.channel.send(encodeAck({ stream: received.feed, offset: received.start + received.length }));
  }

  /** All output of a session by `read`, from `from` on. */
  async readAll(sessionId: string, from?: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let at = from; ;) {
      const { head, bytes } = await this.ask('read', { sessionId, limit: 1024 * 1024, ...(at === undefined ? {} : { from: at }) });
      at = head['nextOffset'] as number;
      parts.push(bytes as Buffer);
      if ((bytes as Buffer).length === 0) return Buffer.concat(parts);
    }
  }

  private receive(message: Message): void {
    if (message.type === 'hello') this.hello = message.hello;
    const feed =
      message.type === 'output' ? message.output.stream : message.type === 'event' ? (message.event['feed'] as number) : undefined;
    if (feed === undefined) return;
    const received = this.feeds.get(feed);
    if (!received)
      this.early.push(
        message.type === 'output' ? { ...message, output: { ...message.output, bytes: Buffer.from(message.output.bytes) } } : message,
      );
    else received.take(message);
    if (received && this.acknowledges) this.acknowledge(received);
  }
}
