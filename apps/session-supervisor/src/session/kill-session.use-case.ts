/** Kills a session with its whole process tree, verifies, and reports; purges what is left when asked to. */
import type { KillReport } from '@holdfast/contracts';
import { ServiceError, withDeadline } from '@holdfast/kernel';
import type { Clock } from '../host/clock.js';
import { DEFAULT_GRACE_MS } from '../processes/tree-killer.js';
import type { LiveSession } from './live-session.js';
import type { ManifestRepository } from '../manifest/manifest.repository.js';
import type { Manifest } from '../manifest/manifest.schema.js';
import type { SessionRegistry } from './session.registry.js';

/** How long a holder may take to record the exit of a leader that is gone. */
export const EXIT_DEADLINE_MS = 5_000;

export interface KillWish {
  readonly sessionId: string;
  readonly epoch?: number;
  readonly graceMs?: number;
  readonly purge?: boolean;
}

export class KillSession {
  private readonly running = new Map<string, Promise<KillReport>>();

  constructor(
    private readonly registry: SessionRegistry,
    private readonly manifests: ManifestRepository,
    private readonly clock: Clock,
    /** Takes from the manifest what must outlive it. */
    private readonly onPurge: (manifest: Manifest) => void,
  ) {}

  /**
   * Takes up to the grace and some seconds. The same report again when repeated, unless something had survived.
   * @throws ServiceError `session.not-found`, `session.stale-handle`, `holder.unreachable` (a purge before the end is known).
   */
  async run(wish: KillWish): Promise<KillReport> {
    const buried = this.registry.get(wish.sessionId) ? undefined : this.manifests.tombstoneOf(wish.sessionId);
    if (buried) return buried.killReport ?? { sessionId: wish.sessionId, epoch: buried.epoch, signalled: [], survivors: [], exit: null };
    const session = this.registry.require(wish.sessionId);
    session.requireEpoch(wish.epoch);
    const report = await this.killOnce(session, wish.graceMs ?? DEFAULT_GRACE_MS);
    if (wish.purge) await this.purge(session, report);
    return report;
  }

  /** Two kills at once are one. */
  private killOnce(session: LiveSession, graceMs: number): Promise<KillReport> {
    const running = this.running.get(session.id);
    if (running) return running;
    const work = this.kill(session, graceMs).finally(() => this.running.delete(session.id));
    this.running.set(session.id, work);
    return work;
  }

  private async kill(session: LiveSession, graceMs: number): Promise<KillReport> {
    await session.settled;
    const earlier = session.manifest.killReport;
    if (earlier && earlier.survivors.length === 0 && session.isEnded) return { ...earlier, exit: exitOf(session) };
    const { signalled, survivors } = await session.backend.killSession(session.ref, {
      graceMs,
      known: session.manifest.end?.leftovers ?? [],
    });
    await withDeadline(session.whenEnded, EXIT_DEADLINE_MS, `exit of session ${session.id}`).catch(() => undefined);
    const report: KillReport = {
      sessionId: session.id,
      epoch: session.manifest.epoch,
      signalled: signalled.map((process) => ({ ...process })),
      survivors: survivors.map((process) => ({ ...process })),
      exit: exitOf(session),
    };
    if (this.registry.get(session.id) === session) await this.store(session, report);
    return report;
  }

  /** A full disk must not hide what was done: the report is given all the same, and forgotten with us. */
  private async store(session: LiveSession, killReport: KillReport): Promise<void> {
    const { end } = session.manifest;
    const settled = killReport.survivors.length === 0;
    session.manifest = {
      ...session.manifest,
      killReport,
      ...(end ? { end: { ...end, leftoversSettled: end.leftoversSettled || settled } } : {}),
    };
    await this.manifests.save(session.manifest).catch(() => undefined);
  }

  /** The tombstone first: from then on the id is used up, whatever a crash leaves of the rest. */
  private async purge(session: LiveSession, killReport: KillReport): Promise<void> {
    if (!session.isEnded)
      throw new ServiceError('holder.unreachable', `the end of session ${session.id} is not known yet: nothing was purged`);
    this.onPurge(session.manifest);
    this.manifests.bury({ sessionId: session.id, epoch: session.manifest.epoch, purgedAt: this.clock.wallTime(), killReport });
    session.handle?.dispose();
    session.isPurged = true;
    this.registry.remove(session.id);
    await this.manifests.remove(session.id);
  }
}

function exitOf(session: LiveSession): KillReport['exit'] {
  return session.manifest.end?.exit ?? null;
}
