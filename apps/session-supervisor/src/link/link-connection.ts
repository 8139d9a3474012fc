/** One gateway's connection: frames in, answers and feeds out. Its feeds and viewers end with it. */
import {
  Channel,
  encodeData,
  encodeHello,
  encodeResponse,
  requireSupportedVersion,
  type DataMessage,
  type Event,
  type Hello,
  type JsonObject,
  type Message,
  type Request,
  type WriteMessage,
} from '@holdfast/attach-protocol';
import type { LinkVerb, LinkVerbs } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import type { Socket } from 'node:net';
import type { Log } from '@holdfast/platform-observability';
import { FeedScheduler } from '../stream/feed-scheduler.js';
import type { LiveSession } from '../session/live-session.js';
import { Feed } from '../stream/feed.js';
import { beyondEnd, pruned } from '../stream/output-reader.js';
import { isLinkVerb, linkHoldSchema, linkRequests, parseRequest, type LinkRequest } from './link-requests.schema.js';
import type { SessionVerbs } from './session-verbs.js';
import { ViewerTable } from './viewer-table.js';

/** A peer that connects and says nothing is let go after this. */
const HELLO_DEADLINE_MS = 5_000;

export interface LinkParts {
  readonly verbs: SessionVerbs;
  readonly hello: Hello;
  readonly log: Log;
}

/** `bytes`: the answer is a data frame. `after`: runs once the answer is on its way. */
interface Reply {
  readonly head: object;
  readonly bytes?: Buffer;
  readonly after?: () => void;
}

export class LinkConnection {
  private readonly channel: Channel;
  private readonly feeds: FeedScheduler;
  private readonly viewers = new ViewerTable();
  private readonly helloTimer: NodeJS.Timeout;
  private greeted = false;
  private readonly feedSessions = new Map<number, LiveSession>();
  private nextFeed = 1;

  constructor(
    socket: Socket,
    private readonly parts: LinkParts,
    onClose: () => void,
  ) {
    this.feeds = new FeedScheduler(socket);
    this.helloTimer = setTimeout(() => this.close(), HELLO_DEADLINE_MS);
    this.channel = new Channel(socket, {
      onMessage: (message) => this.receive(message),
      onClose: () => {
        clearTimeout(this.helloTimer);
        this.feeds.close();
        this.viewers.close();
        onClose();
      },
    });
  }

  close(): void {
    this.channel.close();
  }

  private receive(message: Message): void {
    if (!this.greeted) return this.greet(message);
    if (message.type === 'request') void this.answer(message.request.id, () => this.carryOut(message.request));
    else if (message.type === 'write') this.receiveWrite(message.write);
    else if (message.type === 'data') this.receiveData(message.data);
    else if (message.type === 'event') this.receiveEvent(message.event);
    else if (message.type === 'ack') this.feeds.acknowledge(message.ack.stream, message.ack.offset);
  }

  private greet(message: Message): void {
    try {
      if (message.type !== 'hello') throw new ServiceError('protocol.hello-required', 'the first message must be a hello');
      requireSupportedVersion(message.hello);
    } catch (error) {
      this.channel.socket.end(encodeResponse({ id: 0, ok: false, error: ServiceError.from(error).toBody() }));
      return;
    }
    this.greeted = true;
    clearTimeout(this.helloTimer);
    this.channel.send(encodeHello(this.parts.hello));
  }

  /** Input is handed on at once, in the order it came; its bytes are a view and are copied before the first wait. */
  private receiveWrite(write: WriteMessage): void {
    const bytes = Buffer.from(write.bytes);
    void this.answer(write.id, async () => {
      const { session, viewerId } = this.viewers.requireWriter(write.stream);
      return { head: await this.parts.verbs.write(session, bytes, { viewerId, seq: write.seq }) };
    });
  }

  private receiveData(data: DataMessage): void {
    const bytes = Buffer.from(data.bytes);
    void this.answer(data.id, async () => {
      if (data.head['verb'] !== 'write') throw unknownVerb(data.head['verb']);
      const { sessionId, epoch } = parseRequest(linkRequests.write, data.head);
      return { head: await this.parts.verbs.write(this.parts.verbs.session(sessionId, epoch), bytes) };
    });
  }

  private receiveEvent(event: Event): void {
    const hold = linkHoldSchema.safeParse(event);
    if (hold.success) this.feedSessions.get(hold.data.feed)?.hold(hold.data.forMs);
  }

  private async answer(id: number, work: () => Promise<Reply>): Promise<void> {
    try {
      const { head, bytes, after } = await work();
      this.channel.send(bytes ? encodeData({ id, head: head as JsonObject, bytes }) : encodeResponse({ ...head, id, ok: true }));
      if (this.channel.isOpen) after?.();
    } catch (thrown) {
      const error = ServiceError.from(thrown);
      if (error.code === 'internal') this.parts.log.error('link.internal-error', { why: String(error.cause) });
      this.channel.send(encodeResponse({ id, ok: false, error: error.toBody() }));
    }
  }

  private async carryOut(request: Request): Promise<Reply> {
    const { verb } = request;
    if (!isLinkVerb(verb)) throw unknownVerb(verb);
    return this.handlers[verb](request);
  }

  private readonly handlers: Readonly<Record<LinkVerb, (request: JsonObject) => Promise<Reply>>> = {
    list: async () => ({ head: this.parts.verbs.list() }),
    get: async (request) => ({ head: await this.parts.verbs.get(parseRequest(linkRequests.get, request)) }),
    create: async (request) => ({ head: await this.parts.verbs.create(parseRequest(linkRequests.create, request)) }),
    kill: async (request) => ({ head: await this.parts.verbs.kill(parseRequest(linkRequests.kill, request)) }),
    read: async (request) => {
      const { facts, bytes } = await this.parts.verbs.read(parseRequest(linkRequests.read, request));
      return { head: facts, bytes };
    },
    write: () => Promise.reject(new ServiceError('request.invalid', 'write comes as a data frame with its bytes')),
    follow: async (request) => this.follow(parseRequest(linkRequests.follow, request)),
    unfollow: async (request) => {
      const { feed } = parseRequest(linkRequests.unfollow, request);
      this.feeds.remove(feed);
      this.feedSessions.delete(feed);
      return { head: {} };
    },
    attach: async (request) => this.attach(parseRequest(linkRequests.attach, request)),
    detach: async (request) => {
      this.viewers.remove(parseRequest(linkRequests.detach, request).viewer);
      return { head: {} };
    },
    resize: async (request) => {
      const parsed = parseRequest(linkRequests.resize, request);
      if (parsed.viewer !== undefined) this.viewers.requireWriter(parsed.viewer);
      return { head: await this.parts.verbs.resize(parsed) };
    },
  };

  private follow(request: LinkRequest<'follow'>): Reply {
    const session = this.parts.verbs.session(request.sessionId, request.epoch);
    const { stream } = session;
    const { endOffset, earliestOffset } = stream;
    const offset = request.from ?? endOffset;
    if (offset > endOffset) throw beyondEnd(offset, earliestOffset, endOffset);
    if (offset < earliestOffset) throw pruned(offset, earliestOffset);
    const feed = new Feed(this.nextFeed++, stream, offset);
    const { cols, rows } = feed.startSize;
    const head: LinkVerbs['follow'][1] = { feed: feed.id, offset, cols, rows };
    const after = (): void => {
      this.feeds.add(feed, (onChange) => stream.follow(onChange));
      this.feedSessions.set(feed.id, session);
      this.feeds.wake(feed.id);
    };
    return { head, after };
  }

  private async attach(request: LinkRequest<'attach'>): Promise<Reply> {
    const { verbs } = this.parts;
    const session = await verbs.settled(request.sessionId, request.epoch);
    const lastSeq = await verbs.lastSequence(session, request.viewerId, request.mode);
    const { epoch } = session.manifest;
    const { endOffset, earliestOffset, sizes } = session.stream;
    const viewer = this.viewers.add({ session, epoch, viewerId: request.viewerId, mode: request.mode });
    if (!this.channel.isOpen) this.viewers.close();
    const { cols, rows } = sizes.last;
    const head: LinkVerbs['attach'][1] = { viewer, epoch, lastSeq, offset: endOffset, earliestOffset, state: session.state, cols, rows };
    return { head };
  }
}

function unknownVerb(verb: unknown): ServiceError {
  return new ServiceError('protocol.unknown-verb', `unknown verb ${String(verb)}`);
}
