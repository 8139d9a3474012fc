/** Ends the sessions of tasks that ended: asks their supervisors to kill them, until each is known to be dead. */
import { ServiceError } from '@holdfast/kernel';
import type { SessionOutcomes } from '../facts/session-outcomes.js';
import type { Clock } from '../host/clock.js';
import type { Log } from '@holdfast/platform-observability';
import type { StoredRecord, StoredTask, TaskStore } from '../tasks/task-store.port.js';
import { SERVICE_LABEL } from './launcher.js';
import { RetrySchedule } from './retry-schedule.js';
import { KILL_NOT_AFTER_MS, type SupervisorPort } from './supervisor.port.js';

export interface SessionEnderOptions {
  readonly store: TaskStore;
  readonly outcomes: SessionOutcomes;
  readonly supervisors: SupervisorPort;
  readonly clock: Clock;
  readonly log: Log;
}

/** A launch command may still be on its way this long after it became stale, by the other host's clock. */
const CLOCKS_DIFFER_MS = 30_000;

export class SessionEnder {
  private readonly ending = new Map<string, Promise<void>>();
  private readonly retries: RetrySchedule;

  constructor(private readonly options: SessionEnderOptions) {
    this.retries = new RetrySchedule(options.clock);
  }

  /** The broker is back: whoever could not be reached is asked now. */
  brokerBack(): void {
    this.retries.makeAllDue();
  }

  /** Starts what is due; returns before it is done. */
  async round(): Promise<void> {
    for (const { task, record } of await this.condemned()) {
      if (this.ending.has(record.sessionId) || !this.retries.isDue(record.sessionId)) continue;
      const end = this.end(task, record)
        .then(
          (dead) => (dead ? this.retries.forget(record.sessionId) : this.retries.failedNow(record.sessionId)),
          (error: unknown) => {
            this.retries.failedNow(record.sessionId);
            this.options.log.warn('session.not-ended', { sessionId: record.sessionId, why: ServiceError.from(error).code });
          },
        )
        .finally(() => this.ending.delete(record.sessionId));
      this.ending.set(record.sessionId, end);
    }
  }

  private condemned(): Promise<readonly { readonly task: StoredTask; readonly record: StoredRecord }[]> {
    return this.options.store.read(async (unit) => {
      const records = await unit.records.condemned();
      const tasks = await unit.tasks.findMany(records.map(({ taskId }) => taskId));
      return records.flatMap((record) => tasks.filter(({ taskId }) => taskId === record.taskId).map((task) => ({ task, record })));
    });
  }

  /** True once it is known to be dead. */
  private async end(task: StoredTask, record: StoredRecord): Promise<boolean> {
    const { supervisors, clock, store, outcomes } = this.options;
    if (await this.neverCommanded(record)) return true;
    const { sessionId, epoch, hostId, backend } = record;
    try {
      const reason = `task ${task.taskId} is ${task.status}`;
      const report = await supervisors.kill(hostId, {
        sessionId,
        epoch,
        notAfter: clock.wallTime(KILL_NOT_AFTER_MS),
        by: SERVICE_LABEL,
        reason,
      });
      if (report.survivors.length > 0) return false;
      const { exit } = report;
      if (exit === null) return await this.look(record);
      await store.write((unit) => outcomes.ended(unit, { sessionId, epoch: report.epoch, hostId, backend, at: clock.wallTime(), exit }));
      return true;
    } catch (thrown) {
      const { code } = ServiceError.from(thrown);
      if (code === 'session.not-found') return await this.unknownToItsHost(record);
      if (code === 'session.ended' || code === 'session.lost' || code === 'session.stale-handle') return await this.look(record);
      throw thrown;
    }
  }

  /** No host has heard of it, and none will: its task waits no more. */
  private neverCommanded({ sessionId }: StoredRecord): Promise<boolean> {
    const { store, outcomes } = this.options;
    return store.write(async (unit) => {
      const record = await unit.records.find(sessionId);
      if (record?.lastStatus !== 'starting' || record.attempts > 0) return false;
      await outcomes.close(unit, record, { lastStatus: 'aborted', exit: null });
      return true;
    });
  }

  private async look({ hostId, sessionId }: StoredRecord): Promise<boolean> {
    const { supervisors, store, outcomes } = this.options;
    const session = await supervisors.get(hostId, sessionId);
    await store.write((unit) => outcomes.observed(unit, session));
    return session.exit !== undefined;
  }

  /** A session that ran is lost; one that was only commanded may still come until its command is stale. */
  private async unknownToItsHost(record: StoredRecord): Promise<boolean> {
    const { store, outcomes, clock } = this.options;
    const { sessionId, epoch, hostId, backend, lastStatus, notAfter } = record;
    if (lastStatus === 'running') {
      const exit = { lost: 'its host does not know it' };
      await store.write((unit) => outcomes.ended(unit, { sessionId, epoch, hostId, backend, at: clock.wallTime(), exit }));
      return true;
    }
    if (notAfter !== null && clock.wallTime(-CLOCKS_DIFFER_MS) < notAfter) return false;
    await store.write((unit) => outcomes.close(unit, record, { lastStatus: 'aborted', exit: null }));
    return true;
  }
}
