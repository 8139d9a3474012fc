/** Verdicts of the reaper in words. */
import type { ReaperPlan, ReapVerdict } from '@holdfast/contracts';

/** The reaper's one-word reasons; one that this page does not know is shown as it is. */
const WHY_TEXTS: Readonly<Record<string, string>> = {
  ended: 'it has ended',
  exempt: 'its label says keep',
  'host-silent': 'its host is silent',
  deaf: 'its host was not heard often enough yet',
  starting: 'it is starting',
  unreachable: 'its holder does not answer',
  'store-silent': 'the task service does not answer',
  'task-unknown': 'its task is not in the store',
  'live-task': 'its task goes on',
  'live-record': 'its task has it running',
  'record-lost': 'its task has it as lost',
  'record-of-other-epoch': 'its task knows another epoch of it',
  'task-ended': 'its task has ended',
  'record-ended': 'its task has it ended',
  'age-unknown': 'nobody knows its age',
  young: 'it is too young',
  operator: 'a person owns it',
  pool: 'a pool owns it',
  'service-for-ever': 'a service wants it for ever',
  'service-ttl-runs': 'its service still wants it',
  'ttl-ran-out': 'its service wanted it no longer than this',
  'owner-gone': 'its owner is gone',
  unrecorded: 'nobody started it on record',
  'switched-off': 'reaping is switched off',
  'kill-paused': 'a kill failed and is tried again later',
  'sweep-limit': 'enough was reaped in this sweep',
  'probe-silent': 'its supervisor did not answer the probe',
  'probe-unknown': 'its supervisor does not know whether it lives',
  'host-unreachable': 'its host could not be reached',
  gone: 'it is gone already',
  'other-epoch': 'it was restarted since',
};

export const whyText = (why: string) => WHY_TEXTS[why] ?? why;

const ORDER: Record<ReapVerdict['do'], number> = { reap: 0, probe: 1, wait: 2, keep: 3 };

/** What will be done first, what is kept last. */
export function byUrgency(verdicts: readonly ReapVerdict[]): readonly ReapVerdict[] {
  return verdicts.toSorted((a, b) => ORDER[a.do] - ORDER[b.do] || a.sessionId.localeCompare(b.sessionId));
}

const STEPS = [
  { unit: 'd', ms: 86_400_000 },
  { unit: 'h', ms: 3_600_000 },
  { unit: 'min', ms: 60_000 },
  { unit: 's', ms: 1_000 },
] as const;

/** In the largest unit that divides it well: 24 h and 90 min, not 1.5 h. */
export function spanText(ms: number): string {
  const step = STEPS.find(({ ms: size }) => ms >= 2 * size) ?? STEPS.find(({ ms: size }) => ms >= size);
  return step === undefined ? `${Math.round(ms)} ms` : `${Math.round(ms / step.ms)} ${step.unit}`;
}

/** Facts of a verdict, a line each; spans as people read them. */
export function evidenceText(evidence: ReapVerdict['evidence']): string {
  return Object.entries(evidence)
    .map(([name, value]) => `${name}: ${typeof value === 'number' && name.endsWith('Ms') ? spanText(value) : plain(value)}`)
    .join('\n');
}

const plain = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** What a sweep decided; whether its kills went well is the audit's to tell. */
export function sweepText({ verdicts }: ReaperPlan): string {
  const count = (what: ReapVerdict['do']) => verdicts.filter((verdict) => verdict.do === what).length;
  const [leaks, waiting] = [count('reap'), count('wait') + count('probe')];
  const looked = `Looked at ${verdicts.length} ${verdicts.length === 1 ? 'session' : 'sessions'}`;
  if (leaks === 0) return `${looked}: none to reap, ${waiting} to wait for.`;
  return `${looked}: ${leaks} to reap, ${waiting} to wait for. The audit tells what came of it.`;
}
