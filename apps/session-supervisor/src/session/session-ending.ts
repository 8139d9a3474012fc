/** Records how a session ended, once, and sees to what it left behind. */
import type { ExitRecord } from '@holdfast/attach-protocol';
import { ServiceError, withDeadline } from '@holdfast/kernel';
import type { Clock } from '../host/clock.js';
import type { Log } from '@holdfast/platform-observability';
import type { ProcessInfo } from '../processes/process-snapshot.js';
import { DEFAULT_GRACE_MS, type TreeKiller } from '../processes/tree-killer.js';
import type { LiveSession } from './live-session.js';
import type { ManifestRepository } from '../manifest/manifest.repository.js';
import type { SessionEnd } from '../manifest/manifest.schema.js';

/** Looking for leftovers takes some 20 ms; an exit waits no longer than this for it. */
const LOOK_DEADLINE_MS = 1_000;

export interface EndingOptions {
  readonly bootId: string;
  readonly leftoverGraceMs: number;
  readonly clock: Clock;
  /** Whether the process that held it is gone. */
  isHolderDead(session: LiveSession): boolean;
  /** `exit.json` of an epoch; undefined when its holder wrote none. */
  readExit(sessionId: string, epoch: number): ExitRecord | undefined;
}

export class SessionEnding {
  private readonly endings = new Map<LiveSession, Promise<void>>();
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(
    private readonly options: EndingOptions,
    private readonly manifests: ManifestRepository,
    private readonly killer: TreeKiller,
    private readonly log: Log,
  ) {}

  /** The leader ended as its holder recorded. Every byte it wrote is readable. */
  exited(session: LiveSession, record: ExitRecord): Promise<void> {
    return this.once(session, () => this.recordExit(session, record));
  }

  /** Nobody holds it any more: as recorded, or lost. */
  gone(session: LiveSession): Promise<void> {
    return this.once(session, async () => {
      const { sessionId, epoch } = session.manifest;
      const record = this.options.readExit(sessionId, epoch);
      if (record) await this.recordExit(session, record);
      else await this.recordLoss(session, this.options.isHolderDead(session) ? 'holder died' : 'unknown to its holder');
      await session.backend.forget(session.ref);
    });
  }

  /** True when its holder recorded an exit. */
  hasExit(session: LiveSession): boolean {
    return this.options.readExit(session.id, session.manifest.epoch) !== undefined;
  }

  /** Waits for an ending that has begun. */
  async finished(session: LiveSession): Promise<void> {
    await this.endings.get(session);
  }

  /** What an exited session left behind is killed when its grace is over, what a lost one left at once; also across our restarts. */
  tendLeftovers(session: LiveSession): void {
    const { end } = session.manifest;
    if (!end || end.leftoversSettled) return;
    const sameBoot = end.endedBoot.bootId === this.options.bootId;
    const elapsedMs = sameBoot ? this.options.clock.bootMs() - end.endedBoot.ms : Infinity;
    const waitMs = session.manifest.state === 'lost' ? 0 : Math.max(0, this.options.leftoverGraceMs - elapsedMs);
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      void this.killLeftovers(session);
    }, waitMs);
    this.timers.add(timer);
  }

  stop(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
  }

  private once(session: LiveSession, work: () => Promise<void>): Promise<void> {
    const running = this.endings.get(session);
    if (running) return running;
    if (session.isEnded) return Promise.resolve();
    const ending = work()
      .catch((error: unknown) =>
        this.log.error('session.ending-failed', { sessionId: session.id, code: ServiceError.from(error).code, why: String(error) }),
      )
      .finally(() => {
        session.ending = undefined;
        this.endings.delete(session);
      });
    session.ending = ending;
    this.endings.set(session, ending);
    return ending;
  }

  private async recordExit(session: LiveSession, record: ExitRecord): Promise<void> {
    const found = await this.lookForLeftovers(session);
    const keep = session.manifest.spec.keepBackground === true;
    await this.end(session, 'exited', {
      exit: record.exit,
      endedAt: record.endedAt,
      offset: record.offset,
      leftovers: (found ?? []).map(({ pid, startTime, command }) => ({ pid, startTime, command })),
      leftoversSettled: keep || found?.length === 0,
    });
    this.tendLeftovers(session);
  }

  private async recordLoss(session: LiveSession, why: string): Promise<void> {
    await this.end(session, 'lost', {
      exit: { lost: why },
      endedAt: this.options.clock.wallTime(),
      offset: session.stream.endOffset,
      leftovers: [],
      leftoversSettled: false,
    });
    this.log.warn('session.lost', { sessionId: session.id, why });
    this.tendLeftovers(session);
  }

  /** Whoever follows is told once it is on disk, or the disk has refused it. */
  private async end(session: LiveSession, state: 'exited' | 'lost', facts: Omit<SessionEnd, 'endedBoot'>): Promise<void> {
    const end: SessionEnd = { ...facts, endedBoot: { bootId: this.options.bootId, ms: this.options.clock.bootMs() } };
    session.manifest = { ...session.manifest, state, end };
    await this.save(session);
    session.announceEnd(end);
  }

  /** Undefined when nobody could look. */
  private async lookForLeftovers(session: LiveSession): Promise<ProcessInfo[] | undefined> {
    const { mark, leader } = session.ref;
    const roots = { mark, known: [], ...(leader ? { leader, recentSessions: [leader.pid] } : {}) };
    try {
      const found = await withDeadline(this.killer.look(roots), LOOK_DEADLINE_MS, `look for leftovers of session ${session.id}`);
      return found.filter((process) => process.pid !== leader?.pid);
    } catch {
      return undefined;
    }
  }

  private async killLeftovers(session: LiveSession): Promise<void> {
    const { end } = session.manifest;
    if (!end || end.leftoversSettled) return;
    const { signalled, survivors } = await session.backend.killSession(session.ref, { graceMs: DEFAULT_GRACE_MS, known: end.leftovers });
    this.log.info('session.leftovers-killed', { sessionId: session.id, signalled: signalled.length, survivors: survivors.length });
    const now = session.manifest.end ?? end;
    session.manifest = { ...session.manifest, end: { ...now, leftoversSettled: true } };
    await this.save(session);
  }

  /** A full disk must not hide an end that the holder recorded: it is found again at the next start. */
  private async save(session: LiveSession): Promise<void> {
    if (session.isPurged) return;
    try {
      await this.manifests.save(session.manifest);
    } catch (error) {
      this.log.error('session.not-saved', { sessionId: session.id, why: ServiceError.from(error).message });
    }
  }
}
