/** One end of a framed connection: requests with answers and deadlines, and whatever else arrives handed to its owner in order. */
import { ServiceError, parseErrorBody, withDeadline, type ErrorCode } from '@holdfast/kernel';
import type { Socket } from 'node:net';
import { FrameDecoder } from './frame.js';
import {
  decodeMessage,
  encodeData,
  encodeRequest,
  encodeWrite,
  type DataMessage,
  type JsonObject,
  type Message,
  type Response,
  type WriteMessage,
} from './messages.js';

/** What a request gives: the facts of its response, and bytes where the answer was a data frame. */
export interface Answer {
  readonly head: JsonObject;
  readonly bytes?: Buffer;
}

export interface ChannelHandlers {
  /**
   * Every message but answers to our requests, in the order of arrival; a response with id 0 (the peer refuses our hello) is one.
   * Bytes in it are views: copy what must outlive the call.
   */
  onMessage(message: Message): void;
  /** Called once, when the connection is over for whatever reason. `error` is what broke it, absent after a clean close. */
  onClose(error?: ServiceError): void;
}

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: ServiceError): void;
}

/**
 * Owns `socket` from here on. Requests that are open when the connection ends reject with `closedCode`.
 * A peer that breaks the framing is disconnected; nothing after that is delivered.
 */
export class Channel {
  private readonly waiting = new Map<number, Waiting>();
  private readonly decoder: FrameDecoder;
  private nextId = 1;
  private closed = false;
  private closeError: ServiceError | undefined;

  constructor(
    readonly socket: Socket,
    private readonly handlers: ChannelHandlers,
    private readonly closedCode: ErrorCode = 'link.closed',
  ) {
    this.decoder = new FrameDecoder((frame) => {
      if (!this.closed) this.receive(decodeMessage(frame));
    });
    socket.on('data', (chunk: Buffer) => this.consume(chunk));
    socket.on('error', (error) => {
      this.closeError ??= new ServiceError(this.closedCode, `connection broke: ${error.message}`, { cause: error });
    });
    socket.on('close', () => this.finish());
  }

  get isOpen(): boolean {
    return !this.closed && !this.socket.destroyed;
  }

  /** Sends encoded frames. False when the kernel's buffer is full (wait for the socket's `drain`) or the channel is closed. */
  send(frame: Buffer): boolean {
    return this.isOpen ? this.socket.write(frame) : false;
  }

  /** @throws ServiceError what the peer answered, `deadline.exceeded`, or the channel's closed code. */
  request(verb: string, args: JsonObject, deadlineMs: number): Promise<Answer> {
    return this.ask((id) => encodeRequest({ ...args, id, verb }), deadlineMs, verb);
  }

  /** Sends input; resolves when the peer accepted the bytes whole. */
  write(write: Omit<WriteMessage, 'id'>, deadlineMs: number): Promise<Answer> {
    return this.ask((id) => encodeWrite({ ...write, id }), deadlineMs, 'write');
  }

  /** A request that carries bytes: a data frame whose head names the verb. */
  requestWithBytes(verb: string, args: JsonObject, bytes: Buffer, deadlineMs: number): Promise<Answer> {
    return this.ask((id) => encodeData({ id, head: { ...args, verb }, bytes }), deadlineMs, verb);
  }

  /** Ends the connection at once; `onClose` follows. */
  close(error?: ServiceError): void {
    this.closeError ??= error;
    this.socket.destroy();
  }

  private ask(encode: (id: number) => Buffer, deadlineMs: number, what: string): Promise<Answer> {
    if (!this.isOpen) return Promise.reject(this.closeError ?? new ServiceError(this.closedCode, `${what}: the connection is closed`));
    const id = this.nextId;
    this.nextId = (this.nextId % 0xffff_ffff) + 1;
    const answer = new Promise<Answer>((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    this.socket.write(encode(id));
    return withDeadline(answer, deadlineMs, what).finally(() => this.waiting.delete(id));
  }

  private consume(chunk: Buffer): void {
    if (this.closed) return;
    try {
      this.decoder.push(chunk);
    } catch (error) {
      this.close(ServiceError.from(error));
    }
  }

  private receive(message: Message): void {
    if (message.type === 'response' && message.response.id !== 0) this.settle(message.response);
    else if (message.type === 'data' && message.data.head['verb'] === undefined) this.settleData(message.data);
    else this.handlers.onMessage(message);
  }

  private settle(response: Response): void {
    const waiting = this.waiting.get(response.id);
    if (response.ok) waiting?.resolve({ head: response });
    else waiting?.reject(ServiceError.fromBody(parseErrorBody(response.error)));
  }

  private settleData(data: DataMessage): void {
    this.waiting.get(data.id)?.resolve({ head: data.head, bytes: Buffer.from(data.bytes) });
  }

  private finish(): void {
    if (this.closed) return;
    this.closed = true;
    const error = this.closeError ?? new ServiceError(this.closedCode, 'the peer closed the connection');
    for (const waiting of this.waiting.values()) waiting.reject(error);
    this.waiting.clear();
    this.handlers.onClose(this.closeError);
  }
}
