/** Decides the fate of one session from what its host and the task service said. Whatever is unknown means wait. */
import { isLive, type InventorySession } from './inventory.js';
import { heardAgoMs, isDeafTo, isSilent, type LastHeard } from './last-heard.js';
import { effectiveOrphanAgeMs, type ReapClass, type ReapLimits } from './reap-limits.js';
import { namedTaskId, type StoreAnswer } from './store-answer.js';

export interface ReapInput {
  readonly session: InventorySession;
  readonly store: StoreAnswer;
  /** Of the session's host. */
  readonly heard: LastHeard;
  /** On that host. */
  readonly liveSessions: number;
  /** Monotonic milliseconds, the clock of `heard`. */
  readonly now: number;
  readonly limits: ReapLimits;
}

export type Evidence = Readonly<Record<string, string | number | boolean | null>>;

/** `keep`: owned, exempt or over. `wait`: too young, or nobody can know; `alert` when a person should look. `reap`: a leak, by this evidence. */
export type ReapVerdict =
  | { readonly do: 'keep'; readonly why: string; readonly evidence: Evidence }
  | { readonly do: 'wait'; readonly why: string; readonly evidence: Evidence; readonly alert?: true }
  | { readonly do: 'reap'; readonly why: string; readonly evidence: Evidence; readonly class: ReapClass };

/** Being attached or silent is no reason either way: it is not even asked. */
export function decideReap(input: ReapInput): ReapVerdict {
  const { session, heard, now, limits } = input;
  const evidence = baseEvidence(input);
  if (!isLive(session.state)) return { do: 'keep', why: 'ended', evidence };
  if (session.keep) return { do: 'keep', why: 'exempt', evidence };
  if (isSilent(heard, now, limits)) return { do: 'wait', why: 'host-silent', evidence };
  if (isDeafTo(heard, limits)) return { do: 'wait', why: 'deaf', evidence };
  if (session.state !== 'running') return { do: 'wait', why: session.state, evidence };
  const taskId = namedTaskId(session);
  if (taskId !== undefined) return decideByTask(input, { ...evidence, taskId });
  return decideByOwner(input, evidence);
}

function baseEvidence({ session, heard, now, liveSessions }: ReapInput): Evidence {
  return {
    owner: session.owner,
    ageMs: ageAt(session.ageMs, heard, now),
    liveSessions,
    term: heard.term,
    seq: heard.seq,
    heardAgoMs: heardAgoMs(heard, now),
  };
}

/** A session goes on ageing after its beat; what is no age is unknown. */
function ageAt(ageMs: number | null | undefined, heard: LastHeard, now: number): number | null {
  if (typeof ageMs !== 'number' || !Number.isFinite(ageMs) || ageMs < 0) return null;
  const age = ageMs + heardAgoMs(heard, now);
  return Number.isFinite(age) ? age : null;
}

function decideByTask(input: ReapInput, evidence: Evidence): ReapVerdict {
  const { store } = input;
  if (store.silent) return { do: 'wait', why: 'store-silent', evidence };
  const { task } = store;
  if (task?.known !== true || task.status === undefined) return { do: 'wait', why: 'task-unknown', alert: true, evidence };
  const withTask = { ...evidence, taskStatus: task.status, endedForMs: task.endedForMs };
  if (task.status === 'completed' || task.status === 'terminated' || task.status === 'cancelled')
    return decideLeak({ endedForMs: task.endedForMs, why: 'task-ended', graceMs: input.limits.terminalTaskGraceMs }, withTask);
  return decideByRecord(input, withTask) ?? { do: 'keep', why: 'live-task', evidence: withTask };
}

/** Undefined: the store has no record of it. */
function decideByRecord({ session, store, limits }: ReapInput, evidence: Evidence): ReapVerdict | undefined {
  if (store.silent || !store.record) return undefined;
  const { record } = store;
  const withRecord = { ...evidence, recordTaskId: record.taskId, recordStatus: record.lastStatus, endedForMs: record.endedForMs };
  if (record.lastStatus === 'starting' || record.lastStatus === 'running') return { do: 'keep', why: 'live-record', evidence: withRecord };
  if (record.lastStatus === 'lost') return { do: 'wait', why: 'record-lost', evidence: withRecord };
  if ((record.epoch ?? 1) !== session.epoch) return { do: 'wait', why: 'record-of-other-epoch', evidence: withRecord };
  return decideLeak({ endedForMs: record.endedForMs, why: 'record-ended', graceMs: limits.terminalTaskGraceMs }, withRecord);
}

interface Ended {
  readonly endedForMs: number | null;
  readonly why: string;
  readonly graceMs: number;
}

function decideLeak({ endedForMs, why, graceMs }: Ended, evidence: Evidence): ReapVerdict {
  if (endedForMs === null || !Number.isFinite(endedForMs) || endedForMs < 0) return { do: 'wait', why: 'age-unknown', evidence };
  if (!(endedForMs > graceMs)) return { do: 'wait', why: 'young', evidence: { ...evidence, limitMs: graceMs } };
  return { do: 'reap', class: 'terminal-task-leak', why, evidence: { ...evidence, limitMs: graceMs } };
}

/** Only once its host says that nobody owns it is the store asked: a record there makes it a task's after all. */
function decideByOwner(input: ReapInput, evidence: Evidence): ReapVerdict {
  const ownership = ownershipOf(input);
  const details = { ...evidence, ...ownership.evidence };
  if (ownership.is !== 'unowned') return { do: ownership.is, why: ownership.why, evidence: details };
  if (input.store.silent) return { do: 'wait', why: 'store-silent', evidence: details };
  return decideByRecord(input, details) ?? decideByAge(input, { why: ownership.why, ageMs: ownership.ageMs }, details);
}

type Ownership = { readonly evidence: Evidence; readonly why: string } & (
  { readonly is: 'keep' } | { readonly is: 'wait' } | { readonly is: 'unowned'; readonly ageMs: number | null }
);

function ownershipOf({ session, heard, now }: ReapInput): Ownership {
  const ageMs = ageAt(session.ageMs, heard, now);
  if (!session.recorded) return { is: 'unowned', why: 'unrecorded', ageMs, evidence: { recorded: false } };
  if (session.ownerGone || session.owner === '') return { is: 'unowned', why: 'owner-gone', ageMs, evidence: { ownerGone: true } };
  if (!session.owner.startsWith('service:')) return { is: 'keep', why: session.owner.split(':')[0] ?? 'owned', evidence: {} };
  if (session.ttlMs === undefined) return { is: 'keep', why: 'service-for-ever', evidence: {} };
  const renewedAgoMs = ageAt(session.renewedAgoMs === undefined ? session.ageMs : session.renewedAgoMs, heard, now);
  const evidence = { ttlMs: session.ttlMs, renewedAgoMs };
  if (renewedAgoMs === null || !(session.ttlMs >= 0)) return { is: 'wait', why: 'age-unknown', evidence };
  if (renewedAgoMs < session.ttlMs) return { is: 'keep', why: 'service-ttl-runs', evidence };
  return { is: 'unowned', why: 'ttl-ran-out', ageMs: renewedAgoMs, evidence };
}

function decideByAge(
  { liveSessions, limits }: ReapInput,
  unowned: { readonly why: string; readonly ageMs: number | null },
  evidence: Evidence,
): ReapVerdict {
  const limitMs = effectiveOrphanAgeMs(liveSessions, limits);
  const withLimit = { ...evidence, limitMs };
  if (unowned.ageMs === null) return { do: 'wait', why: 'age-unknown', evidence: withLimit };
  if (!(unowned.ageMs > limitMs)) return { do: 'wait', why: 'young', evidence: withLimit };
  const reapClass = unowned.ageMs > limits.orphanAgeMs ? 'unowned' : 'unowned-under-pressure';
  return { do: 'reap', class: reapClass, why: unowned.why, evidence: withLimit };
}
