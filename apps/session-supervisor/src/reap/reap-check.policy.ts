/** Decides whether what the reaper saw still holds: the last look before a kill, by who knows the session best. */

/** A session as it is now. */
export interface ReapSubject {
  readonly owner: string;
  readonly recorded: boolean;
  /** It carries the label that exempts. */
  readonly keep: boolean;
  readonly ttlMs: number | undefined;
  /** Since the create or its last repetition; null = unknown. */
  readonly renewedAgoMs: number | null;
}

export interface ReapOrder {
  readonly class: string;
  /** As the reaper's policy gives it: `owner`, `renewedAgoMs`, `heardAgoMs`, … Unknown fields say nothing. */
  readonly evidence: Readonly<Record<string, unknown>>;
}

/** `no` names what has changed, or was never so. */
export type ReapCheck = { readonly reap: 'yes' } | { readonly reap: 'no'; readonly why: string };

export function checkReap(subject: ReapSubject, order: ReapOrder): ReapCheck {
  const { evidence } = order;
  if (subject.keep) return no('exempt');
  if (subject.owner.startsWith('operator:')) return no('operator');
  if (typeof evidence['owner'] === 'string' && evidence['owner'] !== subject.owner) return no('other-owner');
  switch (order.class) {
    case 'terminal-task-leak':
      return { reap: 'yes' };
    case 'unowned':
    case 'unowned-under-pressure':
      return checkUnowned(subject, evidence);
    default:
      return no('unknown-class');
  }
}

/** Nobody of this build's pools is ever gone, so that only services' and unrecorded sessions can be unowned. */
function checkUnowned(subject: ReapSubject, evidence: ReapOrder['evidence']): ReapCheck {
  if (!subject.recorded) return { reap: 'yes' };
  if (!subject.owner.startsWith('service:')) return no('owned');
  const { ttlMs, renewedAgoMs } = subject;
  if (ttlMs === undefined) return no('service-for-ever');
  if (renewedAgoMs === null) return no('age-unknown');
  if (renewedAgoMs < ttlMs || wasRenewed(renewedAgoMs, evidence)) return no('renewed');
  return { reap: 'yes' };
}

/** An age only grows, unless the create was repeated; the reaper adds to it what it waited since the beat, of which it knows only its own share. */
function wasRenewed(renewedAgoMs: number, { renewedAgoMs: seenMs, heardAgoMs }: ReapOrder['evidence']): boolean {
  if (typeof seenMs !== 'number') return false;
  return renewedAgoMs + (typeof heardAgoMs === 'number' ? heardAgoMs : 0) < seenMs;
}

function no(why: string): ReapCheck {
  return { reap: 'no', why };
}
