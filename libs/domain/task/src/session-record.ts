/** A task's record of one of its sessions: how it moves, and what a session's end means for record and task. */
import type { Exit } from '@holdfast/domain-session';
import type { TaskAction, TaskStatus } from './task-transitions.js';

/** `starting` → `running` → `completed` | `aborted` | `lost`; the last three are final for an epoch. */
export const RECORD_STATUSES = ['starting', 'running', 'completed', 'aborted', 'lost'] as const;
export type RecordStatus = (typeof RECORD_STATUSES)[number];

export function isEndedRecord(status: RecordStatus): boolean {
  return status === 'completed' || status === 'aborted' || status === 'lost';
}

export interface RecordState {
  readonly status: RecordStatus;
  readonly epoch: number;
}

/** A session's fact against its record: what is older or already known changes nothing. */
export type RecordVerdict =
  { readonly do: 'apply'; readonly record: RecordState } | { readonly do: 'nothing'; readonly why: 'known' | 'older-epoch' };

/** A newer epoch starts an ended record again: the session was restarted under the same id. */
export function decideStarted(record: RecordState, epoch: number): RecordVerdict {
  if (epoch < record.epoch) return { do: 'nothing', why: 'older-epoch' };
  if (epoch === record.epoch && record.status !== 'starting') return { do: 'nothing', why: 'known' };
  return { do: 'apply', record: { status: 'running', epoch } };
}

export interface SessionEnd {
  readonly epoch: number;
  readonly exit: Exit;
  /** We ended it ourselves: then even exit 0 is no success. */
  readonly killed: boolean;
}

export function decideEnded(record: RecordState, end: SessionEnd): RecordVerdict {
  if (end.epoch < record.epoch) return { do: 'nothing', why: 'older-epoch' };
  if (end.epoch === record.epoch && isEndedRecord(record.status)) return { do: 'nothing', why: 'known' };
  return { do: 'apply', record: { status: endedStatus(end), epoch: end.epoch } };
}

function endedStatus({ exit, killed }: SessionEnd): RecordStatus {
  if ('lost' in exit) return 'lost';
  return 'code' in exit && exit.code === 0 && !killed ? 'completed' : 'aborted';
}

/** What the end of its current session does to a task. `needs-attention`: a person decides. */
export type TaskConsequence =
  | { readonly do: 'act'; readonly action: Extract<TaskAction, 'complete' | 'terminate'> }
  | { readonly do: 'needs-attention' }
  | { readonly do: 'nothing' };

/** The end of any other session than the current one never reaches the task. */
export function decideConsequence(task: TaskStatus, ended: RecordStatus): TaskConsequence {
  if (task !== 'in_progress' || !isEndedRecord(ended)) return { do: 'nothing' };
  if (ended === 'lost') return { do: 'needs-attention' };
  return { do: 'act', action: ended === 'completed' ? 'complete' : 'terminate' };
}
