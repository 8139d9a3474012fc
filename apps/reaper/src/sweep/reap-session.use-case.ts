/** Reaps one session: asks its supervisor about that very handle, decides again on what it says, then commands the kill. */
import { ServiceError } from '@holdfast/kernel';
import type { ReaperAuditEntry, ReapVerdict } from '@holdfast/contracts';
import type { ReapLimits } from '@holdfast/domain-liveness';
import { wallTime, type Clock } from '../clock.js';
import { probedSession } from '../inventory/inventory-session.js';
import { judge, type Judged } from './judge.js';
import type { Handle, ReapAnswer, Supervisors } from './supervisor.port.js';

export type Act = Pick<ReaperAuditEntry, 'outcome' | 'detail' | 'report'>;

/** `act` is absent when no kill was commanded; `verdict` then says why. */
export interface ReapResult {
  readonly verdict: ReapVerdict;
  readonly act?: Act;
}

/** A supervisor that gets the command later than this refuses it: what was decided may no longer hold. */
export const REAP_NOT_AFTER_MS = 5_000;

export interface ReapSessionOptions {
  readonly supervisors: Supervisors;
  readonly clock: Clock;
  readonly limits: ReapLimits;
}

export async function reapSession(judged: Judged, options: ReapSessionOptions): Promise<ReapResult> {
  const confirmed = await confirm(judged, options);
  if (confirmed.do !== 'reap') return { verdict: confirmed };
  const act = await commandKill(confirmed, options);
  return act === 'nothing-happened' ? { verdict: { ...confirmed, do: 'wait', why: 'host-unreachable' } } : { verdict: confirmed, act };
}

/** Silence and doubt mean wait; another incarnation or an end means there is nothing to reap. */
async function confirm(judged: Judged, options: ReapSessionOptions): Promise<ReapVerdict> {
  const { verdict, host, session, store } = judged;
  const handle: Handle = { hostId: host.hostId, sessionId: session.sessionId, epoch: session.epoch };
  try {
    const probe = await options.supervisors.probe(handle);
    if (probe.alive === 'unknown') return { ...verdict, do: 'wait', why: 'probe-unknown' };
    if (probe.alive === 'dead') return { ...verdict, do: 'keep', why: 'gone' };
    if (probe.session && probe.session.epoch !== session.epoch) return { ...verdict, do: 'keep', why: 'other-epoch' };
    const again = judge({ host, session: probedSession(session, probe), store }, options).verdict;
    return { ...again, evidence: { ...again.evidence, probed: 'alive' } };
  } catch (error) {
    return { ...verdict, do: 'wait', why: 'probe-silent', evidence: { ...verdict.evidence, probeError: ServiceError.from(error).code } };
  }
}

async function commandKill(verdict: ReapVerdict, { supervisors, clock }: ReapSessionOptions): Promise<Act | 'nothing-happened'> {
  const { hostId, sessionId, epoch, evidence } = verdict;
  const notAfter = wallTime(clock, REAP_NOT_AFTER_MS);
  try {
    return actOf(
      await supervisors.reap(hostId, {
        sessionId,
        epoch,
        notAfter,
        class: verdict.class ?? 'unowned',
        evidence: { ...evidence, why: verdict.why },
      }),
    );
  } catch (thrown) {
    return failureOf(ServiceError.from(thrown));
  }
}

function actOf({ killed, why, report }: ReapAnswer): Act {
  const facts = { ...(why === undefined ? {} : { detail: why }), ...(report ? { report } : {}) };
  if (!killed) return { outcome: 'refused', ...facts };
  const survivors = report?.survivors.length ?? 0;
  return survivors === 0 ? { outcome: 'reaped', ...facts } : { outcome: 'failed', ...facts, detail: `${survivors} processes survived` };
}

function failureOf(error: ServiceError): Act | 'nothing-happened' {
  switch (error.code) {
    case 'service.unreachable':
      return 'nothing-happened';
    case 'session.not-found':
    case 'session.stale-handle':
    case 'session.ended':
    case 'session.lost':
      return { outcome: 'gone', detail: error.code };
    case 'command.stale':
      return { outcome: 'refused', detail: error.code };
    default:
      return { outcome: 'failed', detail: `${error.code}: ${error.message}` };
  }
}
