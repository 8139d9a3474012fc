/** A supervisor in memory that speaks the real link over a real socket: what the gateway's tests run against. */
import {
  Channel,
  PROTOCOL_VERSION,
  encodeData,
  encodeHello,
  encodeResponse,
  type JsonObject,
  type Message,
  type Request,
  type WriteMessage,
} from '@holdfast/attach-protocol';
import { LINK_SOCKET_NAME } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { MemoryFeed } from './memory-feed.js';
import { MemorySession } from './memory-session.js';

interface Viewer {
  readonly session: MemorySession;
  readonly viewerId: string;
  readonly mode: string;
}

/** Sessions outlive `stop` and `start`, as the holders' do. */
export class MemorySupervisor implements AsyncDisposable {
  readonly sessions = new Map<string, MemorySession>();
  /** Verbs asked for so far. */
  readonly asked: string[] = [];
  /** Verbs that get no answer. */
  readonly silent = new Set<string>();
  private server: Server | undefined;
  private readonly connections = new Set<LinkPeer>();
  private term = 0;

  constructor(private readonly runtimeDir: string) {}

  async start(): Promise<void> {
    this.term += 1;
    this.server = createServer((socket) => {
      const peer = new LinkPeer(
        this,
        new Channel(socket, { onMessage: (message) => peer.receive(message), onClose: () => this.forget(peer) }),
        this.term,
      );
      this.connections.add(peer);
    });
    this.server.listen(join(this.runtimeDir, LINK_SOCKET_NAME));
    await once(this.server, 'listening');
  }

  /** As a kill would: connections break, whatever is under way is lost. */
  async stop(): Promise<void> {
    if (this.server === undefined) return;
    const closed = once(this.server, 'close');
    this.server.close();
    for (const peer of this.connections) peer.channel.close();
    await closed;
    this.server = undefined;
    await rm(join(this.runtimeDir, LINK_SOCKET_NAME), { force: true });
  }

  session(sessionId: string): MemorySession {
    const session = this.sessions.get(sessionId);
    if (session === undefined) throw new ServiceError('session.not-found', `no session "${sessionId}"`);
    return session;
  }

  add(sessionId: string, spec: { cols?: number; rows?: number } = {}): MemorySession {
    const session = new MemorySession(sessionId, { owner: 'operator:operator', command: ['cat'], ...spec });
    this.sessions.set(sessionId, session);
    return session;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  private forget(peer: LinkPeer): void {
    peer.close();
    this.connections.delete(peer);
  }
}

interface Answered {
  readonly facts: JsonObject;
  /** Makes it a data frame. */
  readonly bytes?: Buffer;
  /** Runs right after the answer has left. */
  readonly then?: () => void;
}

/** One gateway's connection. */
class LinkPeer {
  private readonly feeds = new Map<number, MemoryFeed>();
  private readonly viewers = new Map<number, Viewer>();
  private last = 0;

  constructor(
    private readonly supervisor: MemorySupervisor,
    readonly channel: Channel,
    private readonly term: number,
  ) {}

  close(): void {
    for (const feed of this.feeds.values()) feed.stop();
  }

  receive(message: Message): void {
    if (message.type === 'hello') this.sayHello();
    else if (message.type === 'ack') this.feeds.get(message.ack.stream)?.acknowledge(message.ack.offset);
    else if (message.type === 'request') this.answer(message.request.id, message.request.verb, () => this.serve(message.request));
    else if (message.type === 'write') this.answer(message.write.id, 'write', () => this.takeInput(message.write));
    else if (message.type === 'data') this.answer(message.data.id, 'write', () => this.takeWrite(message.data.head, message.data.bytes));
  }

  private sayHello(): void {
    this.channel.send(
      encodeHello({ protocol: PROTOCOL_VERSION, build: 'test', features: [], hostId: 'test-host', instance: 'test', term: this.term }),
    );
  }

  private answer(id: number, verb: string, serve: () => Answered): void {
    this.supervisor.asked.push(verb);
    if (this.supervisor.silent.has(verb)) return;
    try {
      const { facts, bytes, then } = serve();
      if (bytes !== undefined) this.channel.send(encodeData({ id, head: facts, bytes }));
      else this.channel.send(encodeResponse({ ...facts, id, ok: true }));
      then?.();
    } catch (error) {
      this.channel.send(encodeResponse({ id, ok: false, error: ServiceError.from(error).toBody() }));
    }
  }

  private serve(request: Request): Answered {
    switch (request.verb) {
      case 'list':
        return { facts: { sessions: [...this.supervisor.sessions.values()].map((session) => session.view()) } };
      case 'create':
        return this.create(request['spec'] as { sessionId?: string; owner: string; command: string[] });
      case 'unfollow':
        this.feeds.get(request['feed'] as number)?.stop();
        this.feeds.delete(request['feed'] as number);
        return { facts: {} };
      case 'detach':
        this.viewers.delete(request['viewer'] as number);
        return { facts: {} };
      default:
        return this.serveSession(request, this.supervisor.session(String(request['sessionId'])));
    }
  }

  private serveSession(request: Request, session: MemorySession): Answered {
    session.requireEpoch(request['epoch']);
    switch (request.verb) {
      case 'get':
        return { facts: { session: session.view() } };
      case 'read': {
        const { facts, bytes } = session.read(
          (request['from'] as number | undefined) ?? session.earliestOffset,
          request['limit'] as number,
        );
        return { facts: { ...facts }, bytes };
      }
      case 'follow':
        return this.follow(session, (request['from'] as number | undefined) ?? session.endOffset);
      case 'attach':
        return this.attach(session, request);
      case 'resize':
        return { facts: { offset: session.resize(request['cols'] as number, request['rows'] as number) } };
      case 'kill':
        session.end({ signal: 'SIGTERM' });
        return {
          facts: {
            report: { sessionId: session.sessionId, epoch: session.epoch, signalled: [], survivors: [], exit: session.exit ?? null },
          },
        };
      default:
        throw new ServiceError('protocol.unknown-verb', request.verb);
    }
  }

  private create(spec: { sessionId?: string; owner: string; command: string[] }): Answered {
    const sessionId = spec.sessionId ?? `made-${this.supervisor.sessions.size + 1}`;
    const known = this.supervisor.sessions.get(sessionId);
    if (known !== undefined && JSON.stringify(known.spec) !== JSON.stringify(spec))
      throw new ServiceError('session.conflict', `"${sessionId}" has another spec`);
    const session = known ?? new MemorySession(sessionId, spec);
    this.supervisor.sessions.set(sessionId, session);
    return { facts: { session: session.view(), created: known === undefined } };
  }

  private follow(session: MemorySession, from: number): Answered {
    if (from < session.earliestOffset)
      throw new ServiceError('session.output-pruned', 'pruned', { detail: { earliestOffset: session.earliestOffset } });
    const feed = new MemoryFeed((this.last += 1), session, this.channel, from);
    this.feeds.set(feed.feed, feed);
    return { facts: { feed: feed.feed, offset: from, ...session.sizeAt(from) }, then: () => feed.pump() };
  }

  private attach(session: MemorySession, request: Request): Answered {
    const viewer = (this.last += 1);
    const viewerId = String(request['viewerId']);
    this.viewers.set(viewer, { session, viewerId, mode: String(request['mode']) });
    const { epoch, endOffset: offset, earliestOffset } = session;
    const lastSeq = session.lastSeqs.get(viewerId) ?? 0;
    return { facts: { viewer, epoch, lastSeq, offset, earliestOffset, state: session.view().state, ...session.sizeAt(offset) } };
  }

  private takeInput({ stream, viewerId, seq, bytes }: WriteMessage): Answered {
    const viewer = this.viewers.get(stream);
    if (viewer === undefined || viewer.viewerId !== viewerId) throw new ServiceError('viewer.unknown', `no viewer ${stream}`);
    if (viewer.mode !== 'write') throw new ServiceError('viewer.read-only', 'read-only');
    const lastSeq = viewer.session.lastSeqs.get(viewerId) ?? 0;
    if (seq <= lastSeq) return { facts: { accepted: 0, duplicate: true } };
    if (seq > lastSeq + 1) throw new ServiceError('session.input-gap', 'gap', { detail: { lastSeq } });
    viewer.session.lastSeqs.set(viewerId, seq);
    viewer.session.input.push({ viewerId, seq, bytes: Buffer.from(bytes) });
    return { facts: { accepted: bytes.length } };
  }

  private takeWrite(head: JsonObject, bytes: Buffer): Answered {
    const session = this.supervisor.session(String(head['sessionId']));
    session.requireEpoch(head['epoch']);
    session.input.push({ viewerId: '', seq: 0, bytes: Buffer.from(bytes) });
    return { facts: { accepted: bytes.length } };
  }
}
