/** The other services' end of the broker: commands to one supervisor, and every fact and host entry in the order they came. */
import type { CommandAnswer, CommandRequest, CommandVerb } from '@holdfast/contracts';
import {
  Bucket,
  CommandClient,
  EventBus,
  InstanceStreams,
  consumeFacts,
  type CloudEvent,
  type FactConsumption,
} from '@holdfast/platform-messaging';
import { startNatsServer, waitFor, type NatsServer } from '@holdfast/testing';

type Verb = CommandVerb<'session-supervisor'>;

export class BrokerRig implements AsyncDisposable {
  readonly facts: CloudEvent[] = [];
  readonly hosts = new Map<string, unknown>();
  private readonly bus: EventBus;
  private readonly client: CommandClient;
  private readonly consumption: FactConsumption;
  private readonly unwatch: () => void;

  private constructor(readonly server: NatsServer) {
    this.bus = EventBus.start({ url: server.url, name: 'test' });
    this.client = new CommandClient(this.bus, 'default');
    const streams = InstanceStreams.start({ bus: this.bus, instance: 'default' });
    this.consumption = consumeFacts({
      ...{ streams, stream: 'EVENTS' as const, durable: 'test', filterSubject: 'holdfast.v1.event.>' },
      handle: ({ event }) => {
        this.facts.push(event as CloudEvent);
        return Promise.resolve('done');
      },
    });
    this.unwatch = new Bucket(streams, 'HOSTS').watch({ onEntry: (key, value) => void this.hosts.set(key, value) });
  }

  static async start(): Promise<BrokerRig> {
    return new BrokerRig(await startNatsServer());
  }

  get environment(): Readonly<Record<string, string>> {
    return { HOLDFAST_NATS_URL: this.server.url };
  }

  /** Asked until somebody serves it: a supervisor joins the broker in its own time. */
  ask<V extends Verb>(
    hostId: string,
    verb: V,
    request: CommandRequest<'session-supervisor', V>,
  ): Promise<CommandAnswer<'session-supervisor', V>> {
    let failure: unknown;
    const send = async (): Promise<{ readonly answer?: CommandAnswer<'session-supervisor', V> }> => {
      try {
        return { answer: await this.client.request('session-supervisor', verb, request, { hostId, deadlineMs: 20_000 }) };
      } catch (error) {
        if ((error as { code?: string }).code === 'service.unreachable') throw error;
        failure = error;
        return {};
      }
    };
    return waitFor(send, { what: `an answer to ${verb}`, withinMs: 30_000 }).then(({ answer }) => {
      if (answer === undefined) throw failure;
      return answer;
    });
  }

  /** Ids of the facts about one session so far. */
  idsOf(sessionId: string): string[] {
    return this.facts.filter(({ subject }) => subject === sessionId).map(({ id }) => id);
  }

  /** Waits until a fact of that id has come: everything published before it is there too. */
  async hears(id: string): Promise<CloudEvent> {
    return waitFor(() => this.facts.find((fact) => fact.id === id), { what: `fact ${id}`, withinMs: 30_000 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.unwatch();
    await this.bus.close();
    await this.consumption.close();
    await this.server[Symbol.asyncDispose]();
  }
}

/** A deadline that is far enough. */
export function soon(): string {
  return new Date(Date.now() + 60_000).toISOString();
}
