/** One broker connection for a process's life: made in the background, tried again for ever, never waited for. */
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { brokerOptions } from './broker-options.js';
import type { CloudEvent } from './cloud-event.js';

export type BusStatus = 'connected' | 'disconnected' | 'closed';

export interface EventBusOptions {
  /** May carry credentials: never logged. */
  readonly url: string;
  /** Shown in the broker's monitoring. */
  readonly name: string;
  readonly onStatus?: (status: BusStatus) => void;
}

/** A broker that takes a connection and says nothing is given up after this. */
export const CONNECT_TIMEOUT_MS = 2_000;
const FIRST_PAUSE_MS = 250;
/** Longest pause between two attempts: a broker that comes back is found within it. */
export const MAX_PAUSE_MS = 5_000;
/** A dead connection is noticed within three of these. */
const PING_INTERVAL_MS = 5_000;

/**
 * Publishes at most once and never queues: what is published while the broker is away is dropped and reported as `offline`.
 * Right for beats; facts that must arrive leave by an outbox.
 */
export class EventBus {
  private connection: NatsConnection | undefined;
  private connected = false;
  private closed = false;
  private wake: (() => void) | undefined;
  private waiting: ((connection: NatsConnection | undefined) => void)[] = [];
  private readonly running: Promise<void>;

  private constructor(private readonly options: EventBusOptions) {
    this.running = this.run();
  }

  /** Returns at once. @throws ServiceError `config.invalid` for a URL that is none. */
  static start(options: EventBusOptions): EventBus {
    brokerOptions(options.url);
    return new EventBus(options);
  }

  get isConnected(): boolean {
    return this.connected;
  }

  /** The live connection, lent: whoever borrows it never closes it. Undefined while the broker is away. */
  get current(): NatsConnection | undefined {
    return this.connected && this.connection?.isClosed() === false ? this.connection : undefined;
  }

  /** The live connection, or the next one made, however long that takes; undefined once the bus is closed. */
  currentOrNext(): Promise<NatsConnection | undefined> {
    if (this.closed || this.current) return Promise.resolve(this.closed ? undefined : this.current);
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  publish(subject: string, event: CloudEvent): 'sent' | 'offline' {
    if (!this.connection || !this.connected) return 'offline';
    this.connection.publish(subject, JSON.stringify(event));
    return 'sent';
  }

  /** Ends the connection and every attempt to make one. */
  async close(): Promise<void> {
    this.closed = true;
    this.wake?.();
    await this.connection?.close();
    await this.running;
  }

  private async run(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (!this.closed) {
      const connection = await this.tryConnect();
      if (connection) {
        pauseMs = FIRST_PAUSE_MS;
        await this.serve(connection);
      } else {
        await this.pause(pauseMs);
        pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
      }
    }
    this.options.onStatus?.('closed');
    this.lend(undefined);
  }

  private async tryConnect(): Promise<NatsConnection | undefined> {
    try {
      return await connect({
        ...brokerOptions(this.options.url),
        name: this.options.name,
        timeout: CONNECT_TIMEOUT_MS,
        pingInterval: PING_INTERVAL_MS,
        reconnect: false,
      });
    } catch {
      return undefined;
    }
  }

  /** Reconnecting is this class's own loop: the client's would queue what is published meanwhile. */
  private async serve(connection: NatsConnection): Promise<void> {
    this.connection = connection;
    this.connected = true;
    this.options.onStatus?.('connected');
    if (this.closed) await connection.close();
    else this.lend(connection);
    await connection.closed();
    this.connected = false;
    this.connection = undefined;
    this.options.onStatus?.('disconnected');
  }

  private lend(connection: NatsConnection | undefined): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const resolve of waiting) resolve(connection);
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
