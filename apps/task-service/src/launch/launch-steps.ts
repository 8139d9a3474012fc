/** The steps of one launch, each a transaction: reserved, session id persisted, command sent, session recorded. */
import { mayReserve } from '@holdfast/domain-task';
import { invariant, newId } from '@holdfast/kernel';
import type { Session } from '@holdfast/contracts';
import type { SessionOutcomes } from '../facts/session-outcomes.js';
import type { Clock } from '../host/clock.js';
import type { TaskChanges } from '../tasks/task-changes.js';
import type { StoredRecord, StoredTask, TaskStore, TaskUnit } from '../tasks/task-store.port.js';
import { LAUNCH_NOT_AFTER_MS } from './supervisor.port.js';

export interface LaunchStepsOptions {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly changes: TaskChanges;
  readonly outcomes: SessionOutcomes;
  /** Of this process's reservations. */
  readonly token: string;
}

/** A task whose launch this process drives. */
export interface Claim {
  readonly task: StoredTask;
  /** Absent until the session id is persisted. */
  readonly record: StoredRecord | undefined;
}

export class LaunchSteps {
  constructor(private readonly options: LaunchStepsOptions) {}

  /** Every pending task becomes this process's: the one that reserved it before has gone. */
  takeOver(): Promise<void> {
    const { store, token, clock } = this.options;
    return store.write(async (unit) => {
      const claim = { token, now: clock.bootMoment(), starting: true };
      for (const { taskId } of await unit.tasks.pending()) {
        if (mayReserve(await unit.reservations.find(taskId), claim)) await unit.reservations.put(taskId, { token, at: claim.now });
      }
    });
  }

  /** Renews the reservation; undefined when the task waits no more or another process drives it. */
  claim(taskId: string): Promise<Claim | undefined> {
    const { store, token, clock } = this.options;
    return store.write(async (unit) => {
      const task = await unit.tasks.find(taskId);
      const now = clock.bootMoment();
      if (task?.status !== 'pending' || !mayReserve(await unit.reservations.find(taskId), { token, now, starting: false }))
        return undefined;
      await unit.reservations.put(taskId, { token, at: now });
      return { task, record: await currentRecord(unit, task) };
    });
  }

  /** Gives the launch its one session id, or moves a session that no host has heard of; undefined when the claim is lost. */
  persist(taskId: string, hostId: string): Promise<Claim | undefined> {
    return this.whileClaimed(taskId, async (unit, { task, record }) => {
      if (record) {
        if (record.attempts > 0) return { task, record };
        await unit.records.update(record.sessionId, { hostId });
        return { task, record: { ...record, hostId } };
      }
      const made = newRecord(task, { hostId, run: (await unit.records.ofTasks([taskId])).length + 1 });
      await unit.records.insert(made);
      return { task: await unit.tasks.update(taskId, { currentSessionId: made.sessionId }), record: made };
    });
  }

  /** Written down before the command leaves: from then on a host may have heard of the session. */
  attempt(taskId: string): Promise<Claim | undefined> {
    return this.whileClaimed(taskId, async (unit, { task, record }) => {
      invariant(record, `task ${taskId} has a session to command`);
      const change = { attempts: record.attempts + 1, notAfter: this.options.clock.wallTime(LAUNCH_NOT_AFTER_MS) };
      await unit.records.update(record.sessionId, change);
      return { task, record: { ...record, ...change } };
    });
  }

  /** The last command was certainly not delivered: the session is as unheard of as before it. */
  takeBack(taskId: string, attempts: number): Promise<Claim | undefined> {
    return this.whileClaimed(taskId, async (unit, { task, record }) => {
      if (record?.attempts !== attempts) return undefined;
      await unit.records.update(record.sessionId, { attempts: attempts - 1 });
      return { task, record };
    });
  }

  record(session: Session): Promise<void> {
    return this.options.store.write((unit) => this.options.outcomes.observed(unit, session));
  }

  /** The session cannot be started: its record ends, and a task that still waits is open again and says why. */
  release(taskId: string, sessionId: string, text: string): Promise<void> {
    const { store, changes, outcomes } = this.options;
    return store.write(async (unit) => {
      const record = await unit.records.find(sessionId);
      if (record?.lastStatus === 'starting') await outcomes.close(unit, record, { lastStatus: 'aborted', exit: null });
      const task = await unit.tasks.find(taskId);
      if (task?.status === 'pending' && task.currentSessionId === sessionId)
        await changes.act(unit, task, 'release', { by: `session:${sessionId}`, sessionId, reason: { text } });
    });
  }

  private whileClaimed(taskId: string, work: (unit: TaskUnit, claim: Claim) => Promise<Claim | undefined>): Promise<Claim | undefined> {
    const { store, token } = this.options;
    return store.write(async (unit) => {
      const task = await unit.tasks.find(taskId);
      const reservation = await unit.reservations.find(taskId);
      if (task?.status !== 'pending' || reservation?.token !== token) return undefined;
      return work(unit, { task, record: await currentRecord(unit, task) });
    });
  }
}

async function currentRecord(unit: TaskUnit, task: StoredTask): Promise<StoredRecord | undefined> {
  return task.currentSessionId === null ? undefined : unit.records.find(task.currentSessionId);
}

/** The backend is the host's choice; until it answers, its default is shown. */
function newRecord(task: StoredTask, { hostId, run }: { readonly hostId: string; readonly run: number }): StoredRecord {
  return {
    ...{ sessionId: newId(), taskId: task.taskId, run, epoch: 1, hostId, backend: 'holder', lastStatus: 'starting' },
    ...{ exit: null, attempts: 0, notAfter: null, startedAt: null, endedAt: null, endedSince: null },
  };
}
