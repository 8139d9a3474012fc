/** Another service on the broker: knows `natsUrl` and `subjectRoot` of up.json and the JSON on the wire, none of our libraries for them. */
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { UpState } from '@holdfast/contracts';

/** A CloudEvent as it is read by somebody who knows only the specification. */
export interface OutsideEvent {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly specversion: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface OutsideFact {
  /** Below the root, e.g. `event.task.a.created`. */
  readonly subject: string;
  readonly event: OutsideEvent;
}

/** Between two tries to reach a broker that is away. */
const RECONNECT_EVERY_MS = 100;

export class OutsideClient implements AsyncDisposable {
  private readonly read: OutsideFact[] = [];
  private lastRead = 0;

  private constructor(
    private readonly connection: NatsConnection,
    private readonly root: string,
  ) {}

  /** Comes back by itself after every outage. */
  static async connect({ natsUrl, subjectRoot }: Pick<UpState, 'natsUrl' | 'subjectRoot'>): Promise<OutsideClient> {
    const { host, username, password } = new URL(natsUrl);
    const login = username === '' ? {} : { user: username, pass: password };
    const forEver = { maxReconnectAttempts: -1, reconnectTimeWait: RECONNECT_EVERY_MS };
    return new OutsideClient(await connect({ servers: host, ...login, ...forEver }), subjectRoot);
  }

  /** A plain publish without headers, as any client can do it. Resolves once the broker has read it. */
  async publish(subject: string, payload: object | string): Promise<void> {
    this.connection.publish(`${this.root}.${subject}`, typeof payload === 'string' ? payload : JSON.stringify(payload));
    await this.connection.flush();
  }

  /** Everything the broker has stored below `event.` so far whose subject starts so, in its order; twice what it stored twice. */
  async facts(prefix: string): Promise<readonly OutsideFact[]> {
    await this.readOn();
    return this.read.filter(({ subject }) => subject.startsWith(prefix));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection.close();
  }

  /** By stream sequence: a broker that was away and is back is read on from where it was. */
  private async readOn(): Promise<void> {
    const manager = await jetstreamManager(this.connection);
    const stream = await manager.streams.find(`${this.root}.event.inbox.rejected`);
    const { last_seq: last } = (await manager.streams.info(stream)).state;
    for (let seq = this.lastRead + 1; seq <= last; seq += 1) {
      const message = await manager.streams.getMessage(stream, { seq });
      if (message) this.read.push({ subject: message.subject.slice(this.root.length + 1), event: message.json() });
      this.lastRead = seq;
    }
  }
}
