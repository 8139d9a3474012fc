/** The holder's end of one connection: hello first, terms obeyed, requests answered by type. */
import {
  Channel,
  PROTOCOL_VERSION,
  encodeHello,
  encodeResponse,
  requireSupportedVersion,
  type Hello,
  type JsonObject,
  type Message,
  type WriteMessage,
} from '@holdfast/attach-protocol';
import { ServiceError } from '@holdfast/kernel';
import type { Socket } from 'node:net';
import type { TermGuard } from './term-guard.js';

/** Unread answers beyond this end the connection: whoever asks and never reads may not fill our memory. */
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;

/** Facts of an answer, or a throw. */
export type Answering = JsonObject | Promise<JsonObject>;

export interface PeerHandlers {
  request(verb: string, args: JsonObject): Answering;
  write(write: WriteMessage): JsonObject;
  closed(): void;
}

export interface HelloFacts {
  readonly build: string;
  readonly features: readonly string[];
  readonly facts: JsonObject;
}

export class Peer {
  readonly channel: Channel;
  private greeted = false;

  constructor(
    socket: Socket,
    private readonly terms: TermGuard,
    private readonly ours: HelloFacts,
    private readonly handlers: PeerHandlers,
  ) {
    this.channel = new Channel(socket, {
      onMessage: (message) => this.receive(message),
      onClose: () => {
        terms.leave(this);
        handlers.closed();
      },
    });
  }

  get unsentBytes(): number {
    return this.channel.socket.writableLength;
  }

  /** Sends one frame; a peer that never reads is disconnected. */
  send(frame: Buffer): void {
    if (this.unsentBytes > MAX_UNSENT_BYTES) this.channel.close(new ServiceError('viewer.slow', 'the peer does not read'));
    else this.channel.send(frame);
  }

  /** Tells why, then closes. */
  refuse(error: ServiceError): void {
    if (this.channel.isOpen) this.channel.socket.end(encodeResponse({ id: 0, ok: false, error: error.toBody() }));
  }

  private receive(message: Message): void {
    if (message.type === 'hello') this.greet(message.hello);
    else if (!this.greeted) this.refuse(new ServiceError('protocol.hello-required', 'the first message must be hello'));
    else if (message.type === 'request')
      this.answer(message.request.id, () => this.handlers.request(message.request.verb, message.request));
    else if (message.type === 'write') this.answer(message.write.id, () => this.handlers.write(message.write));
  }

  private greet(hello: Hello): void {
    try {
      requireSupportedVersion(hello);
      this.terms.admit(this, hello.term ?? 0);
    } catch (error) {
      this.refuse(ServiceError.from(error));
      return;
    }
    this.greeted = true;
    const { build, features, facts } = this.ours;
    this.send(encodeHello({ ...facts, protocol: PROTOCOL_VERSION, build, features, term: this.terms.highest }));
  }

  private answer(id: number, work: () => Answering): void {
    try {
      const answering = work();
      if (answering instanceof Promise)
        answering.then(
          (facts) => this.succeed(id, facts),
          (error: unknown) => this.fail(id, error),
        );
      else this.succeed(id, answering);
    } catch (error) {
      this.fail(id, error);
    }
  }

  private succeed(id: number, facts: JsonObject): void {
    this.send(encodeResponse({ ...facts, id, ok: true }));
  }

  private fail(id: number, error: unknown): void {
    const known = ServiceError.from(error);
    if (known.code === 'internal')
      process.stderr.write(`${JSON.stringify({ level: 'error', message: String((known.cause as Error)?.stack ?? known.cause) })}\n`);
    this.send(encodeResponse({ id, ok: false, error: known.toBody() }));
  }
}
