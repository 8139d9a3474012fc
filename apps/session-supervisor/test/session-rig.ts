/** The session use cases around a fake backend, for specs: real manifests in a temporary directory, no processes, no waiting. */
import type { ExitRecord } from '@holdfast/attach-protocol';
import { StateLayout } from '@holdfast/platform-session-store';
import { createTempDirectory, type TempDirectory } from '@holdfast/testing';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FakeBackend } from '../src/backend/fake-backend.js';
import type { Clock } from '../src/host/clock.js';
import { ProcessSnapshot } from '../src/processes/process-snapshot.js';
import { TreeKiller } from '../src/processes/tree-killer.js';
import { FakeJournal } from '../src/stream/fake-journal.js';
import { SessionStream } from '../src/stream/session-stream.js';
import { CreateSession } from '../src/session/create-session.use-case.js';
import { FactLedger } from '../src/facts/fact-ledger.js';
import { ReapSession } from '../src/reap/reap-session.use-case.js';
import { KillSession } from '../src/session/kill-session.use-case.js';
import { LiveSession } from '../src/session/live-session.js';
import { ManifestRepository } from '../src/manifest/manifest.repository.js';
import type { Manifest } from '../src/manifest/manifest.schema.js';
import { ProbeSession } from '../src/session/probe-session.use-case.js';
import { SessionEnding } from '../src/session/session-ending.js';
import { SessionKeeper } from '../src/session/session-keeper.js';
import { normaliseSpec } from '../src/manifest/session-spec.js';
import { SessionRegistry } from '../src/session/session.registry.js';

/** Milliseconds since boot, as the specs say. */
export const time = { bootMs: 10_000 };
/** Pauses take one turn of the event loop. */
export const clock: Clock = {
  monotonicMs: () => 0,
  bootMs: () => time.bootMs,
  wallTime: () => '2026-01-01T00:00:00.000Z',
  pause: async () => {
    await nextTurn();
  },
};

export class SessionRig implements AsyncDisposable {
  readonly backend = new FakeBackend();
  readonly registry = new SessionRegistry();
  readonly manifests: ManifestRepository;
  readonly layout: StateLayout;
  readonly ending: SessionEnding;
  readonly keeper: SessionKeeper;
  readonly create: CreateSession;
  readonly kill: KillSession;
  readonly reap: ReapSession;
  readonly probe: ProbeSession;
  readonly ledger: FactLedger;
  readonly journal = new FakeJournal();
  exitRecord: ExitRecord | undefined;
  isHolderDead = true;

  private constructor(private readonly directory: TempDirectory) {
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    this.layout = new StateLayout(directory.path);
    this.manifests = new ManifestRepository(this.layout);
    this.ledger = new FactLedger(this.layout, 'host');
    const noProcesses = {
      ownPid: 2,
      snapshot: async () => new ProcessSnapshot([]),
      signal: () => false,
      ignoresTerminate: () => false,
      servicePids: () => [],
    };
    const options = {
      bootId: 'boot',
      leftoverGraceMs: 60_000,
      clock,
      readExit: () => this.exitRecord,
      isHolderDead: () => this.isHolderDead,
    };
    this.ending = new SessionEnding(options, this.manifests, new TreeKiller(noProcesses, clock), log);
    this.keeper = new SessionKeeper({ registry: this.registry, manifests: this.manifests, ending: this.ending, clock, log });
    this.kill = new KillSession(this.registry, this.manifests, clock, (manifest) => this.ledger.keepUnsent(manifest));
    this.reap = new ReapSession({ bootId: 'boot', clock, log }, this.registry, this.manifests, this.kill);
    this.probe = new ProbeSession({ hostId: 'host', bootId: 'boot', clock, backends: [this.backend] }, this.registry);
    const creation = { hostId: 'host', bootId: 'boot', defaultBackend: 'holder' as const, journalBytes: 1, clock };
    const backendOf = (name: string) => (name === 'holder' ? this.backend : undefined);
    this.create = new CreateSession(
      { ...creation, backendOf, makeSession: (manifest) => this.make(manifest), onDiskTrouble: () => {} },
      this.registry,
      this.manifests,
      this.keeper,
    );
  }

  static async open(): Promise<SessionRig> {
    const rig = new SessionRig(await createTempDirectory());
    rig.manifests.loadAll();
    return rig;
  }

  make(manifest: Manifest): LiveSession {
    return new LiveSession(manifest, this.backend, (of) => new SessionStream(this.journal, normaliseSpec(of.spec, of.backend), () => 0));
  }

  /** Forgets everything in memory and reads the disk again, as a new supervisor does. */
  restart(): void {
    this.registry.all().forEach((session) => this.registry.remove(session.id));
    for (const manifest of this.manifests.loadAll().manifests) {
      const session = this.make(manifest);
      this.registry.add(session);
      this.keeper.adopt(session);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.keeper.stop();
    this.ending.stop();
    await nextTurn();
    await this.manifests.settled();
    await this.directory[Symbol.asyncDispose]();
  }
}
