/** A live attachment to one session of a holder: one connection to its session socket. */
import type { Channel, ExitRecord, Message } from '@holdfast/attach-protocol';
import { ServiceError } from '@holdfast/kernel';
import type { InputAccepted, InputOrigin, SessionHandle, StreamEvent } from '../terminal-backend.port.js';
import {
  acceptedSchema,
  attachedSchema,
  exitAnswerSchema,
  holderEventSchema,
  parseAnswer,
  resizedSchema,
  sequenceSchema,
} from './holder-messages.schema.js';
import { openChannel, type ChannelOwner, type OwnHello } from './open-channel.js';

/** How long a holder may take to answer; one that does not is stopped or starved. */
export const HOLDER_DEADLINE_MS = 2_000;
/** A full terminal holds input back: the holder refuses by type long before this. */
export const WRITE_DEADLINE_MS = 5_000;
const NO_ORIGIN: InputOrigin = { viewerId: '', seq: 0 };

export class HolderSessionHandle implements SessionHandle, ChannelOwner {
  start: SessionHandle['start'] = { offset: 0, cols: 0, rows: 0, recordingStopped: false };
  private channel!: Channel;
  private exitRecord: ExitRecord | undefined;
  /** What arrived before `onData` was called. */
  private backlog: Message[] | undefined = [];
  private closed = false;
  private dataListener: (offset: number, bytes: Uint8Array) => void = () => {};
  private eventListener: (event: StreamEvent) => void = () => {};
  private exitListener: (record: ExitRecord) => void = () => {};

  private constructor(private readonly responsive: () => boolean) {}

  /** @throws ServiceError `holder.unreachable`, `holder.stale-term`, `deadline.exceeded`. */
  static async attach(path: string, own: OwnHello, responsive: () => boolean): Promise<HolderSessionHandle> {
    const handle = new HolderSessionHandle(responsive);
    handle.channel = (await openChannel(path, own, handle)).channel;
    try {
      const attached = parseAnswer(attachedSchema, (await handle.channel.request('attach', {}, HOLDER_DEADLINE_MS)).head, 'attach');
      handle.start = attached;
      if (attached.state === 'exited') await handle.fetchExit();
      return handle;
    } catch (error) {
      handle.channel.close();
      throw error;
    }
  }

  get isResponsive(): boolean {
    return !this.closed && this.responsive();
  }

  async write(bytes: Uint8Array, origin: InputOrigin = NO_ORIGIN): Promise<InputAccepted> {
    if (!this.isResponsive) throw new ServiceError('holder.unreachable', 'the holder does not answer; nothing was written');
    const answer = await this.channel.write({ stream: 0, ...origin, bytes: Buffer.from(bytes) }, WRITE_DEADLINE_MS);
    const { accepted, duplicate } = parseAnswer(acceptedSchema, answer.head, 'write');
    return duplicate === undefined ? { accepted } : { accepted, duplicate };
  }

  writeSequence(payloads: readonly Uint8Array[]): Promise<InputAccepted> {
    return this.write(Buffer.concat(payloads));
  }

  async lastSequence(viewerId: string): Promise<number> {
    const answer = await this.channel.request('sequence', { viewerId }, HOLDER_DEADLINE_MS);
    return parseAnswer(sequenceSchema, answer.head, 'sequence').lastSeq;
  }

  async resize(cols: number, rows: number): Promise<{ offset: number; changed: boolean }> {
    if (!this.isResponsive) throw new ServiceError('holder.unreachable', 'the holder does not answer; nothing was resized');
    const answer = await this.channel.request('resize', { cols, rows }, HOLDER_DEADLINE_MS);
    return parseAnswer(resizedSchema, answer.head, 'resize');
  }

  hold(forMs: number): void {
    if (this.isResponsive) this.channel.request('hold', { forMs }, HOLDER_DEADLINE_MS).catch(() => {});
  }

  onData(listener: (offset: number, bytes: Uint8Array) => void): void {
    this.dataListener = listener;
    const backlog = this.backlog ?? [];
    this.backlog = undefined;
    backlog.forEach((message) => this.deliver(message));
    if (this.exitRecord) this.exitListener(this.exitRecord);
    if (this.closed) this.eventListener({ type: 'closed' });
  }

  onEvent(listener: (event: StreamEvent) => void): void {
    this.eventListener = listener;
  }

  onExit(listener: (record: ExitRecord) => void): void {
    this.exitListener = listener;
  }

  dispose(): void {
    this.channel.close();
  }

  onMessage(message: Message): void {
    if (!this.backlog) return this.deliver(message);
    if (message.type === 'output')
      this.backlog.push({ ...message, output: { ...message.output, bytes: Buffer.from(message.output.bytes) } });
    else this.backlog.push(message);
  }

  onClose(): void {
    this.closed = true;
    if (!this.backlog) this.eventListener({ type: 'closed' });
  }

  /** The leader ended before this attach; without a record yet, the `exited` event is still to come. */
  private async fetchExit(): Promise<void> {
    const answer = await this.channel.request('exit', {}, HOLDER_DEADLINE_MS);
    this.exitRecord = parseAnswer(exitAnswerSchema, answer.head, 'exit').record ?? undefined;
  }

  private deliver(message: Message): void {
    if (message.type === 'output') this.dataListener(message.output.offset, new Uint8Array(message.output.bytes));
    else if (message.type === 'durable') this.eventListener({ type: 'durable', offset: message.durable.offset });
    else if (message.type === 'event') this.deliverEvent(message.event);
  }

  private deliverEvent(value: unknown): void {
    const parsed = holderEventSchema.safeParse(value);
    if (!parsed.success) return;
    const event = parsed.data;
    if (event.event === 'exited') this.exitListener(event.record);
    else if (event.event === 'resized') this.eventListener({ type: 'resized', offset: event.offset, cols: event.cols, rows: event.rows });
    else if (event.event === 'ended') this.eventListener({ type: 'ended', offset: event.offset });
    else this.eventListener({ type: 'recording', stopped: event.stopped, offset: event.offset });
  }
}
