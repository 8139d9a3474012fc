/** One socket of the namespace: parses what it sends, in the order it sends it, and answers. */
import {
  ackArgumentsSchema,
  attachSchema,
  attachmentSchema,
  inputArgumentsSchema,
  viewerResizeSchema,
  visibleSchema,
  type Ack,
} from '@holdfast/contracts';
import { ServiceError, type ErrorCode } from '@holdfast/kernel';
import { parseRequest } from '../http/invalid-request.error.js';
import { checkFrom } from './attach-start.js';
import type { Attachment } from './attachment.js';
import { SocketSink, type TerminalSocket } from './socket-sink.js';
import { callOf, refusal } from './terminal-reply.js';
import type { TerminalService } from './terminal.service.js';

type Work = (values: readonly unknown[]) => object | void | Promise<object | void>;

/**
 * Listens by itself and not through handlers of the framework, which await before they call: inputs must reach the supervisor
 * in the order they came, and an answer to `attach` must leave before the first output.
 */
export class TerminalConnection {
  private readonly attachments = new Map<string, Attachment>();
  private isClosed = false;

  constructor(
    private readonly socket: TerminalSocket,
    private readonly terminal: TerminalService,
  ) {}

  listen(): void {
    const { socket } = this;
    socket.on('attach', (...args: unknown[]) => void this.attach(args));
    this.answer('input', (values) => this.input(values));
    this.answer('resize', ([payload]) => this.resize(payload));
    this.answer('takeControl', ([payload]) => this.takeControl(payload));
    this.answer('visible', ([payload]) => void this.attachment(parseRequest(visibleSchema, payload).attachId));
    this.answer('detach', ([payload]) => this.attachment(parseRequest(attachmentSchema, payload).attachId).end());
    socket.on('ack', (...args: unknown[]) => this.acknowledge(args));
    const wake = (): void => this.attachments.forEach((attachment) => attachment.wake());
    const engine = socket.conn;
    engine.on('drain', wake);
    socket.on('disconnect', () => {
      engine.off('drain', wake);
      this.close();
    });
  }

  private answer(event: 'input' | 'resize' | 'takeControl' | 'visible' | 'detach', work: Work): void {
    this.socket.on(event, (...args: unknown[]) => {
      const { values, reply } = callOf(args);
      settle(work, values).then(reply, (error: unknown) => reply(refusal(error)));
    });
  }

  /** The answer and the start of the stream happen in one go: nothing can come between. */
  private async attach(args: readonly unknown[]): Promise<void> {
    const { values, reply } = callOf(args);
    try {
      checkFrom(values[0]);
      const { attached, attachment } = await this.terminal.attach({
        request: parseRequest(attachSchema, values[0]),
        asker: this.socket.data.principal,
        sinkFor: (attachId) => new SocketSink(this.socket, attachId),
        onEnd: (attachId, code) => this.forget(attachId, code),
      });
      if (this.isClosed) {
        attachment.end();
        return;
      }
      this.attachments.set(attached.attachId, attachment);
      reply({ ok: true, ...attached });
      attachment.start();
    } catch (error) {
      reply(refusal(error));
    }
  }

  private input(values: readonly unknown[]): Promise<void> {
    const [attachId, seq, bytes] = parseRequest(inputArgumentsSchema, values);
    return this.attachment(attachId).input(seq, bytes);
  }

  private resize(payload: unknown): Promise<void> {
    const { attachId, cols, rows } = parseRequest(viewerResizeSchema, payload);
    return this.attachment(attachId).resize({ cols, rows });
  }

  private takeControl(payload: unknown): never {
    this.attachment(parseRequest(attachmentSchema, payload).attachId).requireWriter();
    throw new ServiceError('feature.unavailable', 'control of the size is not available yet: every writer may resize');
  }

  /** Answers nothing, so a bad one is without effect. */
  private acknowledge(args: readonly unknown[]): void {
    const parsed = ackArgumentsSchema.safeParse(callOf(args).values);
    if (parsed.success) this.attachments.get(parsed.data[0])?.acknowledge(parsed.data[1]);
  }

  private attachment(attachId: string): Attachment {
    const attachment = this.attachments.get(attachId);
    if (attachment !== undefined) return attachment;
    throw new ServiceError('stream.not-attached', `this socket has no attach "${attachId}"`);
  }

  private forget(attachId: string, code: ErrorCode | undefined): void {
    const wasAttached = this.attachments.delete(attachId);
    if (wasAttached && code !== undefined) this.socket.emit('detached', { attachId, code });
  }

  private close(): void {
    this.isClosed = true;
    for (const attachment of [...this.attachments.values()]) attachment.end();
  }
}

/** Runs the work at once, so that its order is that of the calls. */
async function settle(work: Work, values: readonly unknown[]): Promise<Ack> {
  return { ok: true, ...(await work(values)) };
}
