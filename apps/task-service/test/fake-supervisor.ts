/** An honest supervisor in the test's process: keeps sessions by id, answers commands, beats, and publishes facts. */
import { subjectRoot, subjects, type CommandRequest, type ExitView, type Session } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import { CommandServer, EventBus, FactPublisher, InstanceStreams, cloudEvent } from '@holdfast/platform-messaging';
import { waitFor } from '@holdfast/testing';

type LaunchRequest = CommandRequest<'session-supervisor', 'launch'>;

export interface FakeSupervisor extends AsyncDisposable {
  readonly hostId: string;
  /** Every launch command taken, in order. */
  readonly launches: readonly LaunchRequest[];
  /** Sessions whose kill was asked for, in order. */
  readonly kills: readonly string[];
  sessions(): readonly Session[];
  /** The session's process ends; published as a fact unless `silent`. */
  exit(sessionId: string, exit: ExitView, how?: { readonly silent?: boolean; readonly times?: number }): Promise<void>;
  lose(sessionId: string): Promise<void>;
  /** Launches fail with this from now on; undefined = they work. */
  refuseLaunches(error: ServiceError | undefined): void;
}

export interface FakeSupervisorOptions {
  readonly url: string;
  readonly instance?: string;
  readonly hostId?: string;
  /** Sessions that live there already count as load. */
  readonly load?: number;
}

const BEAT_EVERY_MS = 100;

export async function startFakeSupervisor(options: FakeSupervisorOptions): Promise<FakeSupervisor> {
  const supervisor = new HonestSupervisor(options);
  await waitFor(() => supervisor.isServing, { what: 'the supervisor is connected' });
  return supervisor;
}

class HonestSupervisor implements FakeSupervisor {
  readonly hostId: string;
  readonly launches: LaunchRequest[] = [];
  readonly kills: string[] = [];
  private readonly held = new Map<string, Session>();
  private readonly instance: string;
  private readonly root: string;
  private readonly bus: EventBus;
  private readonly facts: FactPublisher;
  private readonly beating: NodeJS.Timeout;
  private refusal: ServiceError | undefined;
  private seq = 0;

  constructor(private readonly options: FakeSupervisorOptions) {
    this.hostId = options.hostId ?? 'host-1';
    this.instance = options.instance ?? 'default';
    this.root = subjectRoot(this.instance);
    this.bus = EventBus.start({ url: options.url, name: this.hostId });
    this.facts = new FactPublisher(InstanceStreams.start({ bus: this.bus, instance: this.instance }));
    CommandServer.start({
      ...{ bus: this.bus, root: this.root, service: 'session-supervisor', hostId: this.hostId },
      handlers: {
        launch: (request) => this.launch(request),
        get: async ({ sessionId }) => ({ session: this.session(sessionId) }),
        kill: ({ sessionId }) => this.kill(sessionId),
      },
    });
    this.beating = setInterval(() => this.beat(), BEAT_EVERY_MS);
  }

  get isServing(): boolean {
    return this.bus.isConnected;
  }

  sessions(): readonly Session[] {
    return [...this.held.values()];
  }

  refuseLaunches(error: ServiceError | undefined): void {
    this.refusal = error;
  }

  async exit(sessionId: string, exit: ExitView, { silent = false, times = 1 } = {}): Promise<void> {
    this.end(sessionId, 'lost' in exit ? 'lost' : 'exited', exit);
    if (!silent) await this.publish('lost' in exit ? 'lost' : 'exited', sessionId, { exit, offset: 0 }, times);
  }

  lose(sessionId: string): Promise<void> {
    return this.exit(sessionId, { lost: 'holder died' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.beating);
    await this.bus.close();
  }

  private async launch(request: LaunchRequest): Promise<{ session: Session }> {
    this.launches.push(request);
    if (this.refusal) throw this.refusal;
    const { spec } = request;
    if (!this.held.has(spec.sessionId)) {
      this.held.set(spec.sessionId, sessionOf(spec, this.hostId));
      void this.publish('started', spec.sessionId, { pid: 4711 }).catch(() => undefined);
    }
    return { session: this.session(spec.sessionId) };
  }

  private async kill(
    sessionId: string,
  ): Promise<{ report: { sessionId: string; epoch: number; signalled: []; survivors: []; exit: ExitView } }> {
    this.kills.push(sessionId);
    const session = this.session(sessionId);
    const exit = session.exit ?? { signal: 'SIGTERM' };
    if (!session.exit) await this.exit(sessionId, exit);
    return { report: { sessionId, epoch: session.epoch, signalled: [], survivors: [], exit } };
  }

  private session(sessionId: string): Session {
    const session = this.held.get(sessionId);
    if (!session) throw new ServiceError('session.not-found', `no session "${sessionId}"`);
    return session;
  }

  private end(sessionId: string, state: 'exited' | 'lost', exit: ExitView): void {
    this.held.set(sessionId, { ...this.session(sessionId), state, exit, pid: null, endedAt: new Date().toISOString() });
  }

  private async publish(verb: 'started' | 'exited' | 'lost', sessionId: string, facts: object, times = 1): Promise<void> {
    const { epoch, owner, taskId, backend } = this.session(sessionId);
    const data = { sessionId, epoch, hostId: this.hostId, owner, taskId, backend, at: new Date().toISOString(), ...facts };
    const event = cloudEvent({ type: `holdfast.session.${verb}`, source: `/session-supervisor/${this.hostId}`, data });
    const subject = `${this.root}.event.session.${sessionId}.${verb}`;
    await this.facts.publish(subject, event);
    /** Repetitions go without a message id: with one, the broker itself would drop them. */
    for (let time = 1; time < times; time += 1) this.bus.publish(subject, event);
  }

  private beat(): void {
    const live = this.sessions().map(({ sessionId, epoch, owner, backend, state, pid }) => ({
      ...{ id: sessionId, epoch, owner, backend, state, pid },
      ...{ ageMs: 0, lastOutputAgoMs: null, viewers: 0 },
    }));
    const other = Array.from({ length: this.options.load ?? 0 }, (_, at) => ({
      ...{ id: `load-${at}`, epoch: 1, owner: 'operator:ada', backend: 'holder', state: 'running', pid: 1 },
      ...{ ageMs: 0, lastOutputAgoMs: null, viewers: 0 },
    }));
    const data = {
      ...{ instance: this.instance, hostId: this.hostId, bootId: 'boot', term: 1, seq: (this.seq += 1) },
      ...{ capacity: { sessions: 64, holders: 8 }, sessions: [...live, ...other] },
    };
    this.bus.publish(
      subjects.hostBeat(this.root, this.hostId),
      cloudEvent({ type: 'holdfast.liveness.host', source: `/session-supervisor/${this.hostId}`, data }),
    );
  }
}

function sessionOf(spec: LaunchRequest['spec'], hostId: string): Session {
  const now = new Date().toISOString();
  return {
    ...{ sessionId: spec.sessionId, epoch: 1, hostId, backend: spec.backend ?? 'holder', state: 'running', pid: 4711 },
    capabilities: { exactOutput: true, exactAfterGap: true, exitCode: true },
    ...{ cols: 120, rows: 40, createdAt: now, startedAt: now, endedAt: null, offset: 0, earliestOffset: 0 },
    ...{ owner: spec.owner, agentKind: spec.agentKind ?? 'command', command: spec.command, cwd: spec.cwd ?? '/', labels: {} },
    ...(spec.taskId === undefined ? {} : { taskId: spec.taskId }),
  };
}
