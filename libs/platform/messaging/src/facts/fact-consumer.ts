/** Reads a JetStream stream with a durable consumer: at least once, one at a time, for ever. */
import { streamName } from '@holdfast/contracts';
import { AckPolicy, DeliverPolicy, type ConsumerMessages, type JetStreamClient, type JsMsg } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { pauseWhileConnected } from '../pause-while-connected.js';
import type { ReportProblem } from '../problem.js';
import type { InstanceStreams } from './streams.js';

/** A message in a handler for longer is delivered again, also after a crash of the handler's process. */
export const ACK_WAIT_MS = 15_000;
/** Messages waiting to be retried do not hold up new ones until there are this many of them. */
export const MAX_UNACKNOWLEDGED = 10_000;
/** The next message is asked for when the last one is settled: nothing waits in a process that may die. */
const MESSAGES_IN_HAND = 1;
const RETRY_PAUSE_MS = 1_000;
const MAX_RETRY_MS = 60_000;

export interface FactMessage {
  readonly subject: string;
  /** In the stream; grows. */
  readonly sequence: number;
  /** 1 at the first delivery. */
  readonly deliveries: number;
  /** When the broker stored it, by the broker's clock. */
  readonly storedAt: Date;
  /** The parsed JSON, not yet checked against any schema; undefined when it is no JSON. */
  readonly event: unknown;
}

/** `done`: never again. `retryInMs`: again, not before. `reject`: never again, and the reason is reported. */
export type FactVerdict = 'done' | { readonly retryInMs: number } | { readonly reject: string };

export interface ConsumeFactsOptions {
  readonly streams: InstanceStreams;
  readonly stream: 'EVENTS' | 'INBOX';
  /** Its place in the stream is kept by the broker under this name. */
  readonly durable: string;
  readonly filterSubject: string;
  /** What it throws is reported and the message delivered again, after growing pauses (1 s to 60 s). */
  readonly handle: (message: FactMessage) => Promise<FactVerdict>;
  readonly onProblem?: ReportProblem;
}

export interface FactConsumption {
  /** Stops reading and waits for the message in hand. */
  close(): Promise<void>;
}

/**
 * Starts at the oldest event kept when `durable` is new. Delivers in order, except what is retried; repeats are possible at any time, so `handle`
 * is idempotent by (source, id). Slow-reader rule: a slow handler delays itself only, its backlog waits in the stream, and the stream drops the oldest beyond
 * 7 days or its size, read or not. Broker restarts and deleted consumers are survived for ever. Ends with the bus.
 */
export function consumeFacts(options: ConsumeFactsOptions): FactConsumption {
  return new FactReader(options);
}

class FactReader implements FactConsumption {
  private closed = false;
  private messages: ConsumerMessages | undefined;
  private endWaiting: () => void = () => undefined;
  private readonly closing = new Promise<undefined>((resolve) => {
    this.endWaiting = () => resolve(undefined);
  });
  private readonly running: Promise<void>;

  constructor(private readonly options: ConsumeFactsOptions) {
    this.running = this.run();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.endWaiting();
    this.messages?.stop();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.closed) {
      const connection = await Promise.race([this.options.streams.bus.currentOrNext(), this.closing]);
      if (!connection) return;
      try {
        await this.read(await this.options.streams.client());
      } catch (error) {
        if (!connection.isClosed()) this.options.onProblem?.('consumer.interrupted', error);
        this.options.streams.forget();
      }
      if (!this.closed) await Promise.race([pauseWhileConnected(connection, RETRY_PAUSE_MS), this.closing]);
    }
  }

  /** Returns when closed or the connection ended. */
  private async read(client: JetStreamClient): Promise<void> {
    const { durable, filterSubject, streams } = this.options;
    const stream = streamName(streams.instance, this.options.stream);
    const manager = await client.jetstreamManager();
    await manager.consumers.add(stream, {
      durable_name: durable,
      filter_subject: filterSubject,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ACK_WAIT_MS),
      deliver_policy: DeliverPolicy.All,
      max_ack_pending: MAX_UNACKNOWLEDGED,
      max_deliver: -1,
    });
    const consumer = await client.consumers.get(stream, durable);
    this.messages = await consumer.consume({ max_messages: MESSAGES_IN_HAND, abort_on_missing_resource: true });
    if (this.closed) this.messages.stop();
    for await (const message of this.messages) {
      if (this.closed) return;
      await this.settle(message);
    }
  }

  private async settle(message: JsMsg): Promise<void> {
    const verdict = await this.verdictOn(message);
    if (verdict === 'done') return message.ack();
    if ('retryInMs' in verdict) return message.nak(verdict.retryInMs);
    this.options.onProblem?.('event.rejected', new Error(`${message.subject} #${message.seq}: ${verdict.reject}`));
    message.term();
  }

  private async verdictOn(message: JsMsg): Promise<FactVerdict> {
    const deliveries = message.info.deliveryCount;
    try {
      return await this.options.handle({
        subject: message.subject,
        sequence: message.seq,
        deliveries,
        storedAt: message.time,
        event: jsonOf(message),
      });
    } catch (error) {
      this.options.onProblem?.('event.handler-failed', error);
      return { retryInMs: Math.min(RETRY_PAUSE_MS * 2 ** Math.min(deliveries - 1, 10), MAX_RETRY_MS) };
    }
  }
}

function jsonOf(message: JsMsg): unknown {
  try {
    return message.json<unknown>();
  } catch {
    return undefined;
  }
}
