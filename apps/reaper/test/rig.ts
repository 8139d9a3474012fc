/** A reaper against a real broker, with a small honest supervisor and task service beside it. */
import { HOST_BEAT_TYPE, subjectRoot, subjects, type CommandAnswer, type HostBeat } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import { loadConfig } from '@holdfast/platform-config';
import { cloudEvent, CommandClient, CommandServer, EventBus } from '@holdfast/platform-messaging';
import { createTempDirectory, startNatsServer, waitFor, type NatsServer } from '@holdfast/testing';
import { FakeLog } from '../src/fake-log.js';
import { Reaper } from '../src/reaper.js';

export type BeatSession = HostBeat['sessions'][number];
type Probe = CommandAnswer<'session-supervisor', 'probe'>;

/** Holds sessions in memory and answers for them; `beat` must be called, so that tests decide what was heard. */
export class Host {
  readonly sessions = new Map<string, BeatSession>();
  readonly killed: string[] = [];
  readonly evidence: Record<string, unknown>[] = [];
  answersProbes = true;
  private seq = 0;

  constructor(
    private readonly bus: EventBus,
    private readonly hostId = 'host-1',
    private readonly root = subjectRoot('default'),
  ) {
    CommandServer.start({
      bus,
      root,
      service: 'session-supervisor',
      hostId,
      handlers: {
        probe: ({ sessionId, epoch }) =>
          this.answersProbes ? Promise.resolve(this.probe(sessionId, epoch)) : new Promise(() => undefined),
        reap: ({ sessionId, epoch, evidence }) => Promise.resolve(this.reap(sessionId, epoch, evidence)),
      },
    });
  }

  beat(times = 1): void {
    for (let n = 0; n < times; n += 1) {
      this.seq += 1;
      const sessions = [...this.sessions.values()];
      const data: HostBeat = {
        instance: 'default',
        hostId: this.hostId,
        bootId: 'b',
        term: 1,
        seq: this.seq,
        capacity: { sessions: 9, holders: 1 },
        sessions,
      };
      this.bus.publish(
        subjects.hostBeat(this.root, this.hostId),
        cloudEvent({ type: HOST_BEAT_TYPE, source: `/session-supervisor/${this.hostId}`, data }),
      );
    }
  }

  private probe(sessionId: string, epoch: number): Probe {
    const session = this.sessions.get(sessionId);
    return session?.epoch === epoch ? { alive: 'alive', ageMs: session.ageMs } : { alive: 'dead', ageMs: null };
  }

  private reap(sessionId: string, epoch: number, evidence: Record<string, unknown>): CommandAnswer<'session-supervisor', 'reap'> {
    if (this.sessions.get(sessionId)?.epoch !== epoch) throw new ServiceError('session.stale-handle', sessionId);
    this.sessions.delete(sessionId);
    this.killed.push(sessionId);
    this.evidence.push(evidence);
    return { killed: true, report: { sessionId, epoch, signalled: [], survivors: [], exit: { signal: 'SIGTERM' } } };
  }
}

export function unowned(id: string, changes: Partial<BeatSession> = {}): BeatSession {
  const facts = { epoch: 1, owner: 'service:x', ttlMs: 0, backend: 'holder', state: 'running', pid: 7, viewers: 0 } as const;
  return { id, ...facts, ageMs: 60_001, lastOutputAgoMs: null, ...changes };
}

/** Knows no task; says nothing at all while `silent`. */
export function serveTasks(bus: EventBus): { silent: boolean; asked: number } {
  const store = { silent: false, asked: 0 };
  const answer: CommandAnswer<'task-service', 'answers'> = { tasks: [], records: [] };
  CommandServer.start({
    bus,
    root: subjectRoot('default'),
    service: 'task-service',
    handlers: {
      answers: () => {
        store.asked += 1;
        return store.silent ? new Promise(() => undefined) : Promise.resolve(answer);
      },
    },
  });
  return store;
}

export interface Rig extends AsyncDisposable {
  readonly broker: NatsServer;
  readonly bus: EventBus;
  readonly host: Host;
  readonly store: { silent: boolean; asked: number };
  readonly client: CommandClient;
  readonly stateDir: string;
  readonly log: FakeLog;
}

/** Sweeps every 100 ms; unowned sessions older than a minute are leaks. */
export async function startRig(reapers = 1): Promise<Rig> {
  const broker = await startNatsServer();
  const directory = await createTempDirectory();
  const config = loadConfig({
    HOLDFAST_NATS_URL: broker.url,
    HOLDFAST_STATE_DIR: directory.path,
    HOLDFAST_REAP_INTERVAL_MS: '100',
    HOLDFAST_REAP_ORPHAN_AGE_MS: '60000',
  });
  const bus = EventBus.start({ url: broker.url, name: 'rig' });
  const log = new FakeLog();
  const running = Array.from({ length: reapers }, () => Reaper.start({ config, log }));
  const client = new CommandClient(bus, 'default');
  const rig = { broker, bus, client, log, host: new Host(bus), store: serveTasks(bus), stateDir: directory.path };
  await waitFor(() => client.request('reaper', 'status', {}), { what: 'the reaper serves' });
  return {
    ...rig,
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((reaper) => reaper.stop()));
      await bus.close();
      await broker[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}
