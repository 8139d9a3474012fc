/** Puts the supervisor together, starts it in the order that keeps sessions safe, and stops it without touching them. */
import type { HoldfastConfig } from '@holdfast/platform-config';
import { EventBus } from '@holdfast/platform-messaging';
import { PROTOCOL_VERSION } from '@holdfast/attach-protocol';
import {
  JournalReader,
  RuntimeLayout,
  StateLayout,
  acquireInstanceLock,
  bootId,
  livenessOf,
  readExitRecord,
  type InstanceLock,
} from '@holdfast/platform-session-store';
import { chmodSync, mkdirSync } from 'node:fs';
import { HolderBackend } from './backend/holder/holder.backend.js';
import { HolderFleet } from './backend/holder/holder-fleet.js';
import { HolderLauncher } from './backend/holder/holder-launcher.js';
import { HolderRecordRepository } from './backend/holder/holder-records.repository.js';
import { BeatPublisher } from './beat/beat-publisher.js';
import { systemClock } from './host/clock.js';
import { takeHostFacts, type HostFacts } from './host/host-facts.js';
import type { Log } from './host/log.js';
import { LinkServer } from './link/link-server.js';
import { SessionVerbs } from './link/session-verbs.js';
import { ProcProcessTable, describeLeader } from './processes/proc-process-table.adapter.js';
import { TreeKiller } from './processes/tree-killer.js';
import { CreateSession } from './session/create-session.use-case.js';
import { KillSession } from './session/kill-session.use-case.js';
import { LiveSession } from './session/live-session.js';
import { ManifestRepository } from './session/manifest.repository.js';
import type { Manifest } from './session/manifest.schema.js';
import { SessionEnding } from './session/session-ending.js';
import { SessionKeeper } from './session/session-keeper.js';
import { normaliseSpec } from './session/session-spec.js';
import { SessionRegistry } from './session/session.registry.js';
import { UnrecordedSessions } from './session/unrecorded-sessions.js';
import { SessionStream } from './stream/session-stream.js';
import type { TerminalBackend } from './backend/terminal-backend.port.js';

const BUILD = 'session-supervisor/0.1.0';
const LINK_FEATURES = ['read', 'follow', 'viewers'];

export interface SupervisorOptions {
  readonly config: HoldfastConfig;
  readonly environment: NodeJS.ProcessEnv;
  /** Path of `holder.cjs`, with `pty.node` beside it. */
  readonly holderBundle: string;
  readonly log: Log;
}

export class Supervisor {
  private constructor(
    private readonly lock: InstanceLock,
    private readonly stops: readonly (() => void)[],
    private readonly bus: EventBus | undefined,
  ) {}

  /**
   * Serves when it resolves; holders are taken up in the background.
   * @throws ServiceError `config.socket-path-too-long`, `instance.in-use`, `storage.failed`.
   */
  static async start(options: SupervisorOptions): Promise<Supervisor> {
    const { config } = options;
    const layout = new StateLayout(config.stateDir);
    const runtime = new RuntimeLayout(config.runtimeDir);
    runtime.assertFits();
    mkdirSync(config.stateDir, { recursive: true, mode: 0o700 });
    chmodSync(config.stateDir, 0o700);
    const lock = acquireInstanceLock(layout.supervisorLockFile);
    try {
      const parts = assemble({ ...options, layout, runtime, host: takeHostFacts(layout) });
      parts.adopt();
      await parts.link.start();
      parts.beats?.start();
      return new Supervisor(lock, parts.stops, parts.bus);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Holders and sessions live on. */
  async stop(): Promise<void> {
    for (const stop of this.stops) stop();
    await this.bus?.close();
    this.lock.release();
  }
}

interface AssemblyInput extends SupervisorOptions {
  readonly layout: StateLayout;
  readonly runtime: RuntimeLayout;
  readonly host: HostFacts;
}

interface Assembly {
  readonly link: LinkServer;
  readonly beats: BeatPublisher | undefined;
  readonly bus: EventBus | undefined;
  /** In the order to call them. */
  readonly stops: readonly (() => void)[];
  adopt(): void;
}

function assemble(input: AssemblyInput): Assembly {
  const { config, layout, runtime, host, log } = input;
  const clock = systemClock;
  const { backend, fleet, killer } = assembleHolders(input);
  const registry = new SessionRegistry();
  const manifests = new ManifestRepository(layout);
  const isHolderDead = (session: LiveSession) => livenessOf(session.manifest.holder.identity) === 'dead';
  const readExit = (sessionId: string, epoch: number) => readExitRecord(layout.exitFile(sessionId, epoch));
  const ending = new SessionEnding(
    { bootId: bootId(), leftoverGraceMs: config.leftoverGraceMs, clock, readExit, isHolderDead },
    manifests,
    killer,
    log,
  );
  const keeper = new SessionKeeper({ registry, manifests, ending, clock, log });
  const makeStream = (manifest: Manifest) =>
    new SessionStream(
      JournalReader.open(layout.epochDir(manifest.sessionId, manifest.epoch)),
      normaliseSpec(manifest.spec, manifest.backend),
      clock.monotonicMs,
    );
  const makeSession = (manifest: Manifest, of: TerminalBackend) => new LiveSession(manifest, of, makeStream);
  const creating = new CreateSession(
    {
      hostId: host.hostId,
      bootId: bootId(),
      defaultBackend: config.backend,
      journalBytes: config.journal.sessionBytes,
      clock,
      backendOf: (name) => (name === backend.name ? backend : undefined),
      makeSession,
    },
    registry,
    manifests,
    keeper,
  );
  const unrecorded = new UnrecordedSessions(
    { bootId: bootId(), clock, log, describe: describeLeader, makeSession },
    registry,
    manifests,
    keeper,
  );
  const verbs = new SessionVerbs(host.hostId, registry, creating, new KillSession(registry, manifests, clock));
  const hello = {
    protocol: PROTOCOL_VERSION,
    build: BUILD,
    features: LINK_FEATURES,
    hostId: host.hostId,
    instance: config.instance,
    term: host.term,
  };
  const link = new LinkServer(runtime, { verbs, hello, log });
  const { bus, beats } = assembleBeats(input, registry, fleet);
  return {
    link,
    beats,
    bus,
    stops: [() => link.stop(), () => beats?.stop(), () => keeper.stop(), () => ending.stop(), () => backend.stop()],
    adopt: () => {
      const { manifests: found, corrupt } = manifests.loadAll();
      corrupt.forEach((sessionId) => log.error('session.manifest-corrupt', { sessionId, why: 'moved aside as session.json.corrupt' }));
      for (const manifest of found) registry.add(makeSession(manifest, backend));
      backend.onError((error) => log.warn('backend.error', { ...error }));
      backend.start(
        (holderId) => log.info('holder.gone', { holderId }),
        (found) => unrecorded.adopt(found, backend),
      );
      registry.all().forEach((session) => keeper.adopt(session));
      log.info('supervisor.started', { hostId: host.hostId, term: host.term, sessions: found.length });
    },
  };
}

function assembleHolders(input: AssemblyInput): { backend: HolderBackend; fleet: HolderFleet; killer: TreeKiller } {
  const { config, layout, runtime, host } = input;
  const own = { term: host.term, build: BUILD };
  const records = new HolderRecordRepository(layout);
  const launcher = new HolderLauncher(
    { bundle: input.holderBundle, layout, runtimeDir: config.runtimeDir, environment: input.environment },
    records,
  );
  const fleet = new HolderFleet({ own, runtime, clock: systemClock, sessionsPerHolder: config.sessionsPerHolder }, launcher, records);
  const holderPids = () => fleet.all().flatMap((member) => (member.record.identity ? [member.record.identity.pid] : []));
  const killer = new TreeKiller(new ProcProcessTable(layout.upStateFile, holderPids), systemClock);
  return { backend: new HolderBackend(fleet, runtime, own, killer), fleet, killer };
}

function assembleBeats(
  input: AssemblyInput,
  registry: SessionRegistry,
  fleet: HolderFleet,
): { bus: EventBus | undefined; beats: BeatPublisher | undefined } {
  const { config, host, log } = input;
  if (config.natsUrl === undefined) return { bus: undefined, beats: undefined };
  const bus = EventBus.start({
    url: config.natsUrl,
    name: `session-supervisor ${host.hostId}`,
    onStatus: (status) => {
      log.info(`broker.${status}`);
      if (status === 'connected') beats.beat();
    },
  });
  const capacity = () => {
    const connected = fleet.all().filter((member) => member.status === 'connected');
    return { sessions: connected.reduce((sum, member) => sum + member.record.capacity, 0), holders: connected.length };
  };
  const beats = new BeatPublisher(
    { instance: config.instance, hostId: host.hostId, bootId: bootId(), term: host.term, clock: systemClock, capacity },
    registry,
    bus,
  );
  return { bus, beats };
}
