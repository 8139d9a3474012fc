/** The built task service as a process of its own, with a broker, a client, and everything it published. */
import { factSubjects, subjectRoot, type CommandAnswer, type CommandRequest, type CommandVerb, type Task } from '@holdfast/contracts';
import { CommandClient, EventBus, InstanceStreams, consumeFacts, type FactConsumption } from '@holdfast/platform-messaging';
import {
  createTempDirectory,
  launch,
  startNatsServer,
  waitFor,
  type LaunchedProcess,
  type NatsServer,
  type TempDirectory,
} from '@holdfast/testing';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '..', 'dist', 'main.js');
const root = subjectRoot('default');

export interface PublishedEvent {
  readonly subject: string;
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export class ServiceRig implements AsyncDisposable {
  /** Of the task service, in the order of the stream. */
  readonly published: PublishedEvent[] = [];
  private readonly services: LaunchedProcess[] = [];
  private readonly client: CommandClient;
  private readonly follower: FactConsumption;
  private readonly streams: InstanceStreams;

  private constructor(
    readonly nats: NatsServer,
    readonly directory: TempDirectory,
    private readonly bus: EventBus,
  ) {
    this.client = new CommandClient(bus, 'default');
    this.streams = InstanceStreams.start({ bus, instance: 'default' });
    this.follower = consumeFacts({
      ...{ streams: this.streams, stream: 'EVENTS', durable: 'test', filterSubject: factSubjects.allEvents(root) },
      handle: async ({ subject, event }) => {
        const known = event as PublishedEvent;
        if (known.source === '/task-service') this.published.push({ ...known, subject });
        return 'done';
      },
    });
  }

  static async start(): Promise<ServiceRig> {
    const [nats, directory] = [await startNatsServer(), await createTempDirectory()];
    const bus = EventBus.start({ url: nats.url, name: 'test' });
    await waitFor(() => bus.isConnected, { what: 'the test is connected' });
    const rig = new ServiceRig(nats, directory, bus);
    await rig.streams.client();
    return rig;
  }

  get databasePath(): string {
    return join(this.directory.path, 'tasks.db');
  }

  get streamsClient(): InstanceStreams {
    return this.streams;
  }

  /** Resolves once the service says that it serves. */
  async startService(environment: NodeJS.ProcessEnv = {}): Promise<LaunchedProcess> {
    const service = await launch(process.execPath, {
      arguments: [MAIN],
      environment: { ...this.environment(), ...environment },
      ipc: true,
    });
    this.services.push(service);
    await waitFor(() => service.messages.length > 0 || service.child.exitCode !== null, { what: 'the task service serves' });
    if (service.messages.length === 0) throw new Error(`the task service ended: ${service.stderr()}`);
    return service;
  }

  environment(): NodeJS.ProcessEnv {
    return {
      PATH: process.env['PATH'],
      HOLDFAST_STATE_DIR: this.directory.path,
      HOLDFAST_RUNTIME_DIR: join(this.directory.path, 'run'),
      HOLDFAST_NATS_URL: this.nats.url,
    };
  }

  /** A command of the task service, tried again while nobody serves it. */
  async ask<V extends CommandVerb<'task-service'>>(
    verb: V,
    body: CommandRequest<'task-service', V>,
  ): Promise<CommandAnswer<'task-service', V>> {
    const asked = async (): Promise<{ readonly answer: CommandAnswer<'task-service', V> } | { readonly error: unknown } | undefined> => {
      try {
        return { answer: await this.client.request('task-service', verb, body, { deadlineMs: 30_000 }) };
      } catch (error) {
        return (error as { code?: string }).code === 'service.unreachable' ? undefined : { error };
      }
    };
    const outcome = await waitFor(asked, { what: `somebody serves ${verb}`, everyMs: 100 });
    if ('error' in outcome) throw outcome.error;
    return outcome.answer;
  }

  get(taskId: string): Promise<Task> {
    return this.ask('get', { taskId }).then(({ task }) => task);
  }

  /** The task once it has this status; the error names the one it has. */
  async sees(taskId: string, status: Task['status'], withinMs = 15_000): Promise<Task> {
    let last: Task | undefined;
    try {
      return await waitFor(
        async () => {
          last = await this.get(taskId);
          return last.status === status ? last : undefined;
        },
        { what: `task ${taskId} is ${status}`, withinMs, everyMs: 50 },
      );
    } catch (cause) {
      throw new Error(`task ${taskId} never became ${status}: ${JSON.stringify(last)}`, { cause });
    }
  }

  /** Published as any other service would: plain, no headers. */
  async putInbox(verb: string, event: unknown): Promise<void> {
    const payload = typeof event === 'string' ? event : JSON.stringify(event);
    const connection = await this.bus.currentOrNext();
    connection?.publish(`${root}.inbox.task.${verb}`, payload);
    await connection?.flush();
  }

  eventsOf(taskId: string): readonly PublishedEvent[] {
    return this.published.filter(({ data }) => data['taskId'] === taskId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const service of this.services) await service[Symbol.asyncDispose]();
    await Promise.all([this.follower.close(), this.bus.close()]);
    await this.nats[Symbol.asyncDispose]();
    await this.directory[Symbol.asyncDispose]();
  }
}

export const shell = (title: string, taskId?: string) => ({
  title,
  agent: { kind: 'command' as const, args: ['sh', '-c', 'true'] },
  ...(taskId === undefined ? {} : { taskId }),
});
