/** Puts the parts of a supervisor together; nothing runs yet. */
import { PROTOCOL_VERSION } from '@holdfast/attach-protocol';
import type { HostBeat } from '@holdfast/contracts';
import type { HoldfastConfig } from '@holdfast/platform-config';
import { JournalReader, bootId, livenessOf, readExitRecord, type RuntimeLayout, type StateLayout } from '@holdfast/platform-session-store';
import { assembleHolders, type Holders } from './backend/holder/assemble-holders.js';
import type { TerminalBackend } from './backend/terminal-backend.port.js';
import type { BrokerSideOptions } from './broker/broker-side.js';
import { FactLedger } from './facts/fact-ledger.js';
import { systemClock } from './host/clock.js';
import type { HostFacts } from './host/host-facts.js';
import type { JsonLog } from '@holdfast/platform-observability';
import { LinkServer } from './link/link-server.js';
import { SessionVerbs } from './link/session-verbs.js';
import { ManifestRepository } from './manifest/manifest.repository.js';
import type { Manifest } from './manifest/manifest.schema.js';
import { normaliseSpec } from './manifest/session-spec.js';
import { describeLeader } from './processes/proc-process-table.adapter.js';
import { ReapSession } from './reap/reap-session.use-case.js';
import { CreateSession } from './session/create-session.use-case.js';
import { KillSession } from './session/kill-session.use-case.js';
import { LiveSession } from './session/live-session.js';
import { ProbeSession } from './session/probe-session.use-case.js';
import { SessionEnding } from './session/session-ending.js';
import { SessionKeeper } from './session/session-keeper.js';
import { SessionRegistry } from './session/session.registry.js';
import { UnrecordedSessions } from './session/unrecorded-sessions.js';
import { SessionStream } from './stream/session-stream.js';

const BUILD = 'session-supervisor/0.1.0';
const LINK_FEATURES = ['read', 'follow', 'viewers'];

export interface AssemblyInput {
  readonly config: HoldfastConfig;
  readonly environment: NodeJS.ProcessEnv;
  /** Path of `holder.cjs`, with `pty.node` beside it. */
  readonly holderBundle: string;
  readonly log: JsonLog;
  readonly layout: StateLayout;
  readonly runtime: RuntimeLayout;
  readonly host: HostFacts;
}

export interface Assembly {
  readonly link: LinkServer;
  readonly registry: SessionRegistry;
  readonly manifests: ManifestRepository;
  /** What the broker's side needs, when there is a broker. */
  readonly brokerSide: Omit<BrokerSideOptions, 'natsUrl'>;
  /** In the order to call them. */
  readonly stops: readonly (() => void)[];
  /** Takes up what predecessors left; returns before their holders answer. */
  adopt(): void;
}

export function assemble(input: AssemblyInput): Assembly {
  const { config, layout, runtime, host, log } = input;
  const holders = assembleHolders({ ...input, own: { term: host.term, build: BUILD } });
  const core = assembleCore(input, holders);
  const { registry, manifests, keeper, ending, creating, makeSession } = core;
  const ledger = new FactLedger(layout, host.hostId);
  /** Without a broker nobody would ever fetch what is kept. */
  const keepFacts = config.natsUrl === undefined ? () => {} : (manifest: Manifest) => ledger.keepUnsent(manifest);
  const killing = new KillSession(registry, manifests, systemClock, keepFacts);
  const facts = { hostId: host.hostId, bootId: bootId(), clock: systemClock, log };
  const reaping = new ReapSession(facts, registry, manifests, killing);
  const probing = new ProbeSession({ ...facts, backends: [holders.backend] }, registry);
  const unrecorded = new UnrecordedSessions({ ...facts, describe: describeLeader, makeSession }, registry, manifests, keeper);
  const verbs = new SessionVerbs(host.hostId, registry, creating, killing);
  const hello = { protocol: PROTOCOL_VERSION, build: BUILD, features: LINK_FEATURES, hostId: host.hostId };
  const link = new LinkServer(runtime, { verbs, hello: { ...hello, instance: config.instance, term: host.term }, log });
  const commands = { hostId: host.hostId, registry, creating, killing, probing, reaping };
  return {
    link,
    registry,
    manifests,
    brokerSide: {
      ...facts,
      ...{ instance: config.instance, term: host.term, backends: [holders.backend.name] },
      ...{ manifests, ledger, commands, capacity: () => capacityOf(holders) },
    },
    stops: [() => link.stop(), () => keeper.stop(), () => ending.stop(), () => holders.backend.stop()],
    adopt: () => {
      const { manifests: found, corrupt } = manifests.loadAll();
      corrupt.forEach((sessionId) => log.error('session.manifest-corrupt', { sessionId, why: 'moved aside as session.json.corrupt' }));
      for (const manifest of found) registry.add(makeSession(manifest, holders.backend));
      holders.backend.onError((error) => log.warn('backend.error', { ...error }));
      holders.backend.start(
        (holderId) => log.info('holder.gone', { holderId }),
        (session) => unrecorded.adopt(session, holders.backend),
      );
      for (const session of registry.all()) {
        keeper.adopt(session);
        reaping
          .resume(session)
          .catch((error: unknown) => log.warn('session.reap-not-resumed', { sessionId: session.id, why: String(error) }));
      }
      log.info('supervisor.started', { hostId: host.hostId, term: host.term, sessions: found.length });
    },
  };
}

/** What keeps and makes sessions. */
function assembleCore({ config, layout, host, log }: AssemblyInput, { backend, killer }: Holders) {
  const registry = new SessionRegistry();
  const manifests = new ManifestRepository(layout);
  const isHolderDead = (session: LiveSession) => livenessOf(session.manifest.holder.identity) === 'dead';
  const readExit = (sessionId: string, epoch: number) => readExitRecord(layout.exitFile(sessionId, epoch));
  const times = { bootId: bootId(), clock: systemClock };
  const ending = new SessionEnding({ ...times, leftoverGraceMs: config.leftoverGraceMs, readExit, isHolderDead }, manifests, killer, log);
  const keeper = new SessionKeeper({ registry, manifests, ending, clock: systemClock, log });
  const makeStream = (manifest: Manifest) =>
    new SessionStream(
      JournalReader.open(layout.epochDir(manifest.sessionId, manifest.epoch)),
      normaliseSpec(manifest.spec, manifest.backend),
      systemClock.monotonicMs,
    );
  const makeSession = (manifest: Manifest, of: TerminalBackend) => new LiveSession(manifest, of, makeStream);
  const creating = new CreateSession(
    {
      ...times,
      hostId: host.hostId,
      defaultBackend: config.backend,
      journalBytes: config.journal.sessionBytes,
      backendOf: (name) => (name === backend.name ? backend : undefined),
      makeSession,
      onDiskTrouble: (session, error) => log.error('session.not-saved', { sessionId: session.id, why: String(error) }),
    },
    registry,
    manifests,
    keeper,
  );
  return { registry, manifests, keeper, ending, creating, makeSession };
}

/** What a host takes for placement: holders are started as sessions need them, so the room in those that run says nothing. */
const SESSIONS_PER_HOST = 500;

function capacityOf({ fleet }: Holders): HostBeat['capacity'] {
  return { sessions: SESSIONS_PER_HOST, holders: fleet.all().filter((member) => member.status === 'connected').length };
}
