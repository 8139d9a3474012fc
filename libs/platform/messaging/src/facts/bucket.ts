/** A key-value bucket of the instance: the newest value of each key, and whoever watches hears of every change. */
import { streamName } from '@holdfast/contracts';
import { DeliverPolicy, type JetStreamClient, type JsMsg } from '@nats-io/jetstream';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { pauseWhileConnected } from '../pause-while-connected.js';
import type { ReportProblem } from '../problem.js';
import { brokerAway, type InstanceStreams } from './streams.js';

const RETRY_PAUSE_MS = 1_000;
const OPERATION = 'KV-Operation';

export interface WatchOptions {
  /** Every key's newest value first, then each change; again from the start after a reconnect. `value` is parsed JSON, undefined = removed. */
  readonly onEntry: (key: string, value: unknown) => void;
  /** All that was there at the connect has been told. */
  readonly onCurrent?: () => void;
  readonly onProblem?: ReportProblem;
}

export class Bucket {
  private readonly stream: string;
  private readonly prefix: string;

  constructor(
    private readonly streams: InstanceStreams,
    bucket: 'HOSTS' | 'ACCESS',
  ) {
    const name = streamName(streams.instance, bucket);
    this.stream = `KV_${name}`;
    this.prefix = `$KV.${name}.`;
  }

  /** `key` is one id. Resolves once stored. @throws ServiceError `service.unreachable` (safe). */
  put(key: string, value: unknown): Promise<void> {
    return this.write(key, JSON.stringify(value));
  }

  /** Watchers hear of it, later ones too. @throws ServiceError `service.unreachable` (safe). */
  remove(key: string): Promise<void> {
    const operation = headers();
    operation.set(OPERATION, 'DEL');
    return this.write(key, '', operation);
  }

  /** Watches for ever, across reconnects. Slow-reader rule: entries wait in the broker, only the newest of each key. Ends with the bus or the returned function. */
  watch(options: WatchOptions): () => void {
    const watching = { stopped: false, stop: (): void => undefined };
    void this.watchEachConnection(options, watching);
    return () => {
      watching.stopped = true;
      watching.stop();
    };
  }

  private async write(key: string, payload: string, operation?: MsgHdrs): Promise<void> {
    const client = await this.streams.client();
    try {
      await client.publish(`${this.prefix}${key}`, payload, operation ? { headers: operation } : {});
    } catch (cause) {
      this.streams.forget();
      throw brokerAway(cause);
    }
  }

  private async watchEachConnection(options: WatchOptions, watching: { stopped: boolean; stop: () => void }): Promise<void> {
    for (;;) {
      const connection = await this.streams.bus.currentOrNext();
      if (!connection || watching.stopped) return;
      try {
        await this.tell(await this.streams.client(), options, watching);
      } catch (error) {
        if (!connection.isClosed()) options.onProblem?.('watch.interrupted', error);
        this.streams.forget();
      }
      if (!watching.stopped) await pauseWhileConnected(connection, RETRY_PAUSE_MS);
    }
  }

  private async tell(client: JetStreamClient, options: WatchOptions, watching: { stopped: boolean; stop: () => void }): Promise<void> {
    const consumer = await client.consumers.get(this.stream, {
      filter_subjects: `${this.prefix}>`,
      deliver_policy: DeliverPolicy.LastPerSubject,
    });
    let current = (await consumer.info(true)).num_pending === 0;
    if (current) options.onCurrent?.();
    const messages = await consumer.consume();
    watching.stop = () => messages.stop();
    if (watching.stopped) messages.stop();
    for await (const message of messages) {
      this.tellOne(message, options);
      if (!current && message.info.pending === 0) {
        current = true;
        options.onCurrent?.();
      }
    }
  }

  /** One entry that nobody can read keeps no other from being told. */
  private tellOne(message: JsMsg, options: WatchOptions): void {
    const key = message.subject.slice(this.prefix.length);
    try {
      options.onEntry(key, valueOf(message));
    } catch (error) {
      options.onProblem?.('entry.unreadable', new Error(`${message.subject}: ${error instanceof SyntaxError ? 'no JSON' : String(error)}`));
    }
  }
}

function valueOf(message: JsMsg): unknown {
  const operation = message.headers?.get(OPERATION);
  return operation === 'DEL' || operation === 'PURGE' ? undefined : message.json<unknown>();
}
