/** What happened to a task's session, written to its record and its task; told twice or late it changes nothing. */
import type { ExitView, Session, SessionRecord } from '@holdfast/contracts';
import { decideConsequence, decideEnded, decideStarted, isEndedRecord, isEndedTask } from '@holdfast/domain-task';
import { invariant } from '@holdfast/kernel';
import type { Clock } from '../host/clock.js';
import type { TaskChanges } from '../tasks/task-changes.js';
import type { StoredRecord, StoredTask, TaskUnit } from '../tasks/task-store.port.js';

export interface SessionStarted {
  readonly sessionId: string;
  readonly epoch: number;
  readonly hostId: string;
  readonly backend: SessionRecord['backend'];
  /** ISO 8601. */
  readonly at: string;
}

export interface SessionEnded extends SessionStarted {
  readonly exit: ExitView;
}

export class SessionOutcomes {
  constructor(
    private readonly changes: TaskChanges,
    private readonly clock: Clock,
  ) {}

  /** False for a session of no task. */
  async started(unit: TaskUnit, fact: SessionStarted): Promise<boolean> {
    const record = await unit.records.find(fact.sessionId);
    if (!record) return false;
    const task = await taskOf(unit, record);
    const verdict = decideStarted({ status: record.lastStatus, epoch: record.epoch }, fact.epoch);
    /** A session restarted after its task ended is the reaper's: nothing waits for it here. */
    if (verdict.do === 'nothing' || (isEndedRecord(record.lastStatus) && isEndedTask(task.status))) return true;
    const { hostId, backend, at } = fact;
    const ended = { exit: null, endedAt: null, endedSince: null };
    await unit.records.update(record.sessionId, { lastStatus: 'running', epoch: fact.epoch, hostId, backend, startedAt: at, ...ended });
    if (task.currentSessionId !== record.sessionId) return true;
    if (task.status === 'pending') await this.changes.act(unit, task, 'start', causeOf(record));
    else if (task.needsAttention) await unit.tasks.update(task.taskId, { needsAttention: false, reason: null });
    return true;
  }

  /** False for a session of no task. */
  async ended(unit: TaskUnit, fact: SessionEnded): Promise<boolean> {
    const known = await this.started(unit, fact);
    const record = await unit.records.find(fact.sessionId);
    if (!known || !record) return false;
    const task = await taskOf(unit, record);
    const end = { epoch: fact.epoch, exit: fact.exit, killed: isEndedTask(task.status) || task.currentSessionId !== record.sessionId };
    const verdict = decideEnded({ status: record.lastStatus, epoch: record.epoch }, end);
    if (verdict.do === 'nothing') return true;
    await this.close(unit, record, { lastStatus: verdict.record.status, epoch: fact.epoch, exit: fact.exit, endedAt: fact.at });
    if (task.currentSessionId !== record.sessionId) return true;
    const consequence = decideConsequence(task.status, verdict.record.status);
    const cause = { ...causeOf(record), reason: { exit: fact.exit } };
    if (consequence.do === 'act') await this.changes.act(unit, task, consequence.action, cause);
    if (consequence.do === 'needs-attention') await this.changes.note(unit, task, 'needs-attention', cause);
    return true;
  }

  /** A session as its supervisor shows it now. */
  async observed(unit: TaskUnit, { sessionId, epoch, hostId, backend, state, startedAt, endedAt, exit }: Session): Promise<void> {
    const seen = { sessionId, epoch, hostId, backend };
    const now = this.clock.wallTime();
    if (exit) await this.ended(unit, { ...seen, at: endedAt ?? now, exit });
    else if (state === 'running' || state === 'unreachable') await this.started(unit, { ...seen, at: startedAt ?? now });
  }

  /** Ends a record whose session ended, or never was. */
  async close(
    unit: TaskUnit,
    record: StoredRecord,
    end: Pick<StoredRecord, 'lastStatus' | 'exit'> & Partial<Pick<StoredRecord, 'epoch' | 'endedAt'>>,
  ): Promise<void> {
    await unit.records.update(record.sessionId, { endedAt: this.clock.wallTime(), endedSince: this.clock.bootMoment(), ...end });
  }
}

function causeOf(record: StoredRecord): { readonly by: string; readonly sessionId: string } {
  return { by: `session:${record.sessionId}`, sessionId: record.sessionId };
}

async function taskOf(unit: TaskUnit, record: StoredRecord): Promise<StoredTask> {
  const task = await unit.tasks.find(record.taskId);
  invariant(task, `record ${record.sessionId} has no task`);
  return task;
}
