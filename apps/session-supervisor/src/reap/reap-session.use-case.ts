/** Kills a session on the reaper's order, unless what the reaper saw no longer holds; writes down why before it does. */
import type { CommandAnswer, CommandRequest } from '@holdfast/contracts';
import { KEEP_LABEL } from '@holdfast/domain-liveness';
import { ServiceError } from '@holdfast/kernel';
import type { Clock } from '../host/clock.js';
import type { Log } from '@holdfast/platform-observability';
import type { ManifestRepository } from '../manifest/manifest.repository.js';
import { normaliseSpec } from '../manifest/session-spec.js';
import type { KillSession } from '../session/kill-session.use-case.js';
import type { LiveSession } from '../session/live-session.js';
import { agesOf } from '../session/session-ages.js';
import type { SessionRegistry } from '../session/session.registry.js';
import { checkReap, type ReapOrder, type ReapSubject } from './reap-check.policy.js';

export type ReapAnswer = CommandAnswer<'session-supervisor', 'reap'>;

export interface ReapParts {
  readonly bootId: string;
  readonly clock: Clock;
  readonly log: Log;
}

export class ReapSession {
  constructor(
    private readonly parts: ReapParts,
    private readonly registry: SessionRegistry,
    private readonly manifests: ManifestRepository,
    private readonly killing: KillSession,
  ) {}

  /**
   * Takes up to a kill's grace and some seconds. Repeated after it was done, it answers the same.
   * @throws ServiceError `session.not-found`, `session.stale-handle`, `session.ended` when there is nothing to reap.
   */
  async run(request: CommandRequest<'session-supervisor', 'reap'>): Promise<ReapAnswer> {
    const session = this.registry.require(request.sessionId);
    session.requireEpoch(request.epoch);
    await session.settled;
    const done = session.manifest.reap?.report;
    if (done && done.survivors.length === 0) return { killed: true, report: done };
    if (session.isEnded && !session.manifest.reap) throw new ServiceError('session.ended', `session ${session.id} has ended`);
    return this.reap(session, request);
  }

  /** Ends what a predecessor had begun: the order was taken in time, and is checked once more. */
  async resume(session: LiveSession): Promise<void> {
    const { reap } = session.manifest;
    if (!reap || reap.report) return;
    await session.settled;
    await this.reap(session, reap);
  }

  private async reap(session: LiveSession, order: ReapOrder): Promise<ReapAnswer> {
    const why = session.isEnded ? undefined : await this.objection(session, order);
    if (why !== undefined) return this.refuse(session, why);
    const { clock, log } = this.parts;
    const reap = session.manifest.reap ?? { class: order.class, evidence: { ...order.evidence }, at: clock.wallTime() };
    session.manifest = { ...session.manifest, reap };
    await this.manifests.save(session.manifest);
    const report = await this.killing.run({ sessionId: session.id, epoch: session.manifest.epoch });
    session.manifest = { ...session.manifest, reap: { ...reap, report } };
    if (!session.isPurged) await this.manifests.save(session.manifest);
    log.info('session.reaped', { sessionId: session.id, class: order.class, survivors: report.survivors.length });
    return { killed: true, report };
  }

  /** Undefined: nothing speaks against it. A session that nobody can look at is not killed. */
  private async objection(session: LiveSession, order: ReapOrder): Promise<string | undefined> {
    if (session.manifest.state === 'pending') return 'starting';
    const alive = await session.backend.isAlive(session.ref);
    if (alive !== 'alive') return alive === 'dead' ? 'gone' : 'unreachable';
    const check = checkReap(this.subjectOf(session), order);
    return check.reap === 'yes' ? undefined : check.why;
  }

  private async refuse(session: LiveSession, why: string): Promise<ReapAnswer> {
    this.parts.log.info('session.reap-refused', { sessionId: session.id, why });
    const { reap, ...rest } = session.manifest;
    if (reap) {
      session.manifest = rest;
      await this.manifests.save(rest);
    }
    return { killed: false, why };
  }

  private subjectOf({ manifest }: LiveSession): ReapSubject {
    const { bootId, clock } = this.parts;
    const { owner, labels, ttlMs } = normaliseSpec(manifest.spec, manifest.backend);
    const { ageMs, renewedAgoMs } = agesOf(manifest, { bootId, ms: clock.bootMs() });
    return {
      owner,
      recorded: manifest.recorded ?? true,
      keep: Object.hasOwn(labels, KEEP_LABEL),
      ttlMs,
      renewedAgoMs: renewedAgoMs === undefined ? ageMs : renewedAgoMs,
    };
  }
}
