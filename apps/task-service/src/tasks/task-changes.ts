/** Every change of a task, each with the fact it makes: row and fact are written in the same transaction. */
import { factSubjects, type TaskEventData, type TaskFact } from '@holdfast/contracts';
import { decideTransition, isEndedTask, type TaskAction, type TaskStatus } from '@holdfast/domain-task';
import { ServiceError } from '@holdfast/kernel';
import type { CloudEvent } from '@holdfast/platform-messaging';
import { createHash } from 'node:crypto';
import type { Clock } from '../host/clock.js';
import type { StoredTask, TaskChange, TaskReason, TaskUnit } from './task-store.port.js';
import { viewTask } from './task-view.js';

/** Source of the events of every task. */
export const FACT_SOURCE = '/task-service';
/** Sessions shown in a fact, the newest: a task launched a thousand times still makes small events. */
const SESSIONS_IN_FACT = 20;

export interface Cause {
  /** An owner label, `reaper`, or `session:<id>`. */
  readonly by: string;
  readonly reason?: TaskReason | undefined;
  readonly sessionId?: string | undefined;
}

/** The fact each action makes. */
const VERB_OF = {
  launch: 'launched',
  start: 'started',
  release: 'needs-attention',
  complete: 'completed',
  terminate: 'terminated',
  cancel: 'cancelled',
  reopen: 'reopened',
} as const satisfies Record<TaskAction, TaskFact['verb']>;

export class TaskChanges {
  constructor(
    /** Subject root of the instance. */
    private readonly root: string,
    private readonly clock: Clock,
  ) {}

  /** @throws ServiceError `task.illegal-transition` with what is allowed instead. */
  async act(unit: TaskUnit, task: StoredTask, action: TaskAction, cause: Cause): Promise<StoredTask> {
    const verdict = decideTransition(task.status, action);
    if (!verdict.ok) throw illegalTransition(task, action, verdict.allowed);
    const change = { ...changeFor(action, verdict.to, cause), status: verdict.to, statusSince: this.clock.bootMoment() };
    const endedAt = isEndedTask(verdict.to) ? this.clock.wallTime() : null;
    if (verdict.to !== 'pending') await unit.reservations.remove(task.taskId);
    return this.record(unit, task, { ...change, endedAt }, { ...cause, verb: VERB_OF[action] });
  }

  /** A fact that leaves the status as it is. */
  note(unit: TaskUnit, task: StoredTask, verb: 'created' | 'progress' | 'needs-attention', cause: Cause): Promise<StoredTask> {
    const change = verb === 'needs-attention' ? { needsAttention: true, reason: cause.reason ?? null } : {};
    return this.record(unit, task, change, { ...cause, verb });
  }

  private async record(unit: TaskUnit, task: StoredTask, change: TaskChange, told: Cause & Pick<TaskFact, 'verb'>): Promise<StoredTask> {
    const at = this.clock.wallTime();
    const changed = await unit.tasks.update(task.taskId, { ...change, sequence: task.sequence + 1, updatedAt: at });
    const { by, verb, reason, sessionId } = told;
    const fact: Omit<TaskFact, 'eventId'> = {
      ...{ taskId: task.taskId, sequence: changed.sequence, verb, status: changed.status, at, by },
      ...(reason === undefined ? {} : { reason }),
      ...(sessionId === undefined ? {} : { sessionId }),
    };
    const eventId = eventIdOf(fact);
    const sessions = (await unit.records.ofTasks([task.taskId])).slice(-SESSIONS_IN_FACT);
    /** Prompts stay out: they may be long, and who needs one asks for the task. */
    const data: TaskEventData = { eventId, ...fact, task: viewTask({ ...changed, prompt: null }, sessions) };
    await unit.outbox.append({
      eventId,
      subject: factSubjects.task(this.root, task.taskId, verb),
      body: JSON.stringify(eventOf(data)),
      fact: { eventId, ...fact },
    });
    return changed;
  }
}

function changeFor(action: TaskAction, to: TaskStatus, cause: Cause): TaskChange {
  if (action === 'start') return {};
  if (action === 'release') return { needsAttention: true, reason: cause.reason ?? null, currentSessionId: null };
  if (action === 'reopen') return { needsAttention: false, reason: null, currentSessionId: null };
  return { needsAttention: false, reason: isEndedTask(to) ? (cause.reason ?? null) : null };
}

/** The same for the same fact, whenever it is published; another one when a restored database counts the same sequence again. */
function eventIdOf(fact: Omit<TaskFact, 'eventId'>): string {
  const digest = createHash('sha256').update(JSON.stringify(fact)).digest('hex').slice(0, 12);
  return `${fact.taskId}.${fact.sequence}.${digest}`;
}

function eventOf(data: TaskEventData): CloudEvent {
  return {
    specversion: '1.0',
    id: data.eventId,
    source: FACT_SOURCE,
    type: `holdfast.task.${data.verb}`,
    subject: data.taskId,
    time: data.at,
    datacontenttype: 'application/json',
    data,
  };
}

function illegalTransition(task: StoredTask, action: TaskAction, allowed: readonly string[]): ServiceError {
  const instead = allowed.length === 0 ? 'nothing is' : `${allowed.join(', ')} ${allowed.length === 1 ? 'is' : 'are'}`;
  return new ServiceError('task.illegal-transition', `task "${task.taskId}" is ${task.status}: ${action} is not possible, ${instead}`, {
    detail: { taskId: task.taskId, status: task.status, action, allowed },
  });
}
