/** The task service put together: store, launches and the broker around them; started and stopped as one. */
import { subjectRoot, subjects } from '@holdfast/contracts';
import { DEFAULT_ADMISSION_LIMITS, type AdmissionLimits } from '@holdfast/domain-task';
import { ServiceError, newId } from '@holdfast/kernel';
import type { HoldfastConfig } from '@holdfast/platform-config';
import {
  Bucket,
  CommandClient,
  CommandServer,
  EventBus,
  FactPublisher,
  InstanceStreams,
  followSubject,
} from '@holdfast/platform-messaging';
import { consumeTaskFacts } from './facts/consume-task-facts.js';
import { OutboxPublisher } from './facts/outbox-publisher.js';
import { systemClock } from './host/clock.js';
import type { Log } from '@holdfast/platform-observability';
import { pausePointsOf } from './host/pause-points.js';
import { Rounds } from './host/rounds.js';
import { LaunchControl } from './launch/launch-control.js';
import { supervisorCommands } from './launch/supervisor.port.js';
import { TaskDatabase } from './store/task-database.js';
import { taskCommands } from './tasks/task-commands.js';
import { taskCore, type TaskCore } from './task-core.js';

export interface TaskServiceOptions {
  readonly config: HoldfastConfig;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly limits?: AdmissionLimits;
}

const ROUND_EVERY_MS = 1_000;
const PRUNE_EVERY_MS = 3600_000;
/** Whoever hears that the service is ready may ask it; a broker that is not there by then is waited for behind that word. */
const BROKER_FIRST_MS = 1_000;

export class TaskService {
  private readonly bus: EventBus;
  private readonly streams: InstanceStreams;
  private readonly publisher: OutboxPublisher;
  private readonly control: LaunchControl;
  private readonly closers: (() => Promise<unknown>)[] = [];

  private constructor(
    private readonly options: TaskServiceOptions,
    private readonly database: TaskDatabase,
    private readonly core: TaskCore,
    natsUrl: string,
  ) {
    const { config, log, environment } = options;
    this.bus = EventBus.start({ url: natsUrl, name: 'task-service', onStatus: (status) => this.brokerIs(status) });
    this.streams = InstanceStreams.start({ bus: this.bus, instance: config.instance, onProblem: this.reportProblem });
    const facts = new FactPublisher(this.streams);
    this.publisher = new OutboxPublisher({ ...core, publish: (subject, event) => facts.publish(subject, event), log });
    this.control = new LaunchControl({
      ...{ ...core, log, instance: config.instance },
      supervisors: supervisorCommands(new CommandClient(this.bus, config.instance)),
      pausePoints: pausePointsOf(environment, config.stateDir),
      isBrokerThere: () => this.bus.isConnected,
    });
  }

  /** Resolves when it can be asked, or serves without a broker, after a moment. @throws ServiceError `config.invalid`, `storage.failed`. */
  static async start(options: TaskServiceOptions): Promise<TaskService> {
    const { config, limits = DEFAULT_ADMISSION_LIMITS } = options;
    const { natsUrl, instance, databaseUrl } = config;
    if (natsUrl === undefined)
      throw new ServiceError('config.invalid', 'HOLDFAST_NATS_URL must be set (example: HOLDFAST_NATS_URL=nats://127.0.0.1:4222)');
    const database = await TaskDatabase.open(databaseUrl);
    const core = taskCore({ store: database, clock: systemClock, root: subjectRoot(instance), limits, token: newId() });
    const service = new TaskService(options, database, core, natsUrl);
    await service.serve();
    await service.canBeAskedOr(BROKER_FIRST_MS);
    return service;
  }

  /** Takes nothing more, gives up what waits for the broker, and closes the database. The next start resumes what is unfinished. */
  async stop(): Promise<void> {
    await Promise.all([this.bus.close(), ...this.closers.map((close) => close())]);
    await this.database.close();
  }

  private async serve(): Promise<void> {
    const { core, control, bus, publisher, streams, options, reportProblem: onProblem } = this;
    let tasks = await this.database.read((unit) => unit.tasks.count());
    this.database.onCommit((made) => {
      tasks += made.tasks;
      if (made.events > 0) publisher.wake(made.events);
    });
    await control.takeOver();
    await publisher.start();
    const changed = control.changed.bind(control);
    const health = () => ({ tasks, outboxPending: publisher.pendingCount });
    const handlers = taskCommands({ ...core, health, onChange: changed });
    const consumptions = consumeTaskFacts({ ...core, streams, onProblem, onChange: (task) => void changed(task) });
    followSubject({ bus, subject: subjects.allHostBeats(core.root), onEvent: (event) => control.hear(event), onProblem });
    new Bucket(streams, 'HOSTS').watch({ onEntry: (_, entry) => control.readHost(entry), onProblem });
    const server = CommandServer.start({ bus, root: core.root, service: 'task-service', handlers, onProblem });
    const rounds = new Rounds(control.duties, ROUND_EVERY_MS, options.log);
    const pruning = new Rounds([{ name: 'prune', run: () => this.database.prune(core.clock.bootMoment()) }], PRUNE_EVERY_MS, options.log);
    rounds.start();
    pruning.start();
    for (const owned of [server, rounds, pruning, publisher, ...consumptions]) this.closers.push(() => owned.close());
  }

  /** Subscriptions are made when the connection is; the broker has them once it has answered what came after. */
  private async canBeAskedOr(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
    const connected = this.bus.currentOrNext().then((connection) => connection?.flush());
    await Promise.race([connected.catch(() => undefined), patience]);
    clearTimeout(timer);
  }

  private brokerIs(status: 'connected' | 'disconnected' | 'closed'): void {
    this.options.log.info(`broker.${status}`);
    if (status !== 'connected') return;
    this.control.brokerBack();
    this.publisher.wake(0);
  }

  private readonly reportProblem = (what: string, error: unknown): void => {
    this.options.log.warn(what, { why: error instanceof Error ? error.message : String(error) });
  };
}
