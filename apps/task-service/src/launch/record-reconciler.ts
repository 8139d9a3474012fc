/** Asks supervisors about sessions that count as running: a fact may have been lost while the broker was away. */
import { ServiceError } from '@holdfast/kernel';
import type { SessionOutcomes } from '../facts/session-outcomes.js';
import type { Clock } from '../host/clock.js';
import type { Log } from '@holdfast/platform-observability';
import type { StoredRecord, TaskStore } from '../tasks/task-store.port.js';
import { RetrySchedule } from './retry-schedule.js';
import type { SupervisorPort } from './supervisor.port.js';

/** Even without an outage, in milliseconds. */
const RECONCILE_EVERY_MS = 60_000;

export interface RecordReconcilerOptions {
  readonly store: TaskStore;
  readonly outcomes: SessionOutcomes;
  readonly supervisors: SupervisorPort;
  readonly clock: Clock;
  readonly log: Log;
}

export class RecordReconciler {
  /** Sessions still to be asked about. */
  private due = new Set<string>();
  private lastAt = -Infinity;
  /** By host. */
  private readonly retries: RetrySchedule;

  constructor(private readonly options: RecordReconcilerOptions) {
    this.retries = new RetrySchedule(options.clock);
  }

  /** The next round asks about every running session: at the start, and after an outage. */
  askAll(): void {
    this.lastAt = -Infinity;
    this.retries.makeAllDue();
  }

  async round(): Promise<void> {
    const now = this.options.clock.monotonicMs();
    const asksAll = now - this.lastAt >= RECONCILE_EVERY_MS;
    if (!asksAll && this.due.size === 0) return;
    const running = await this.options.store.read((unit) => unit.records.running());
    if (asksAll) this.lastAt = now;
    this.due = new Set(running.map(({ sessionId }) => sessionId).filter((id) => asksAll || this.due.has(id)));
    const asked = groupByHost(running.filter(({ sessionId, hostId }) => this.due.has(sessionId) && this.retries.isDue(hostId)));
    await Promise.all([...asked].map(([hostId, records]) => this.ask(hostId, records)));
  }

  /** One session after the other; a host that does not answer is asked again after a pause. */
  private async ask(hostId: string, records: readonly StoredRecord[]): Promise<void> {
    for (const record of records) {
      try {
        await this.askAbout(record);
        this.due.delete(record.sessionId);
      } catch (error) {
        this.retries.failedNow(hostId);
        return this.options.log.info('records.not-reconciled', { hostId, why: ServiceError.from(error).code });
      }
    }
    this.retries.forget(hostId);
  }

  private async askAbout({ sessionId, epoch, hostId, backend }: StoredRecord): Promise<void> {
    const { supervisors, store, outcomes, clock } = this.options;
    try {
      const session = await supervisors.get(hostId, sessionId);
      await store.write((unit) => outcomes.observed(unit, session));
    } catch (thrown) {
      if (ServiceError.from(thrown).code !== 'session.not-found') throw thrown;
      const exit = { lost: 'its host does not know it' };
      await store.write((unit) => outcomes.ended(unit, { sessionId, epoch, hostId, backend, at: clock.wallTime(), exit }));
    }
  }
}

function groupByHost(records: readonly StoredRecord[]): Map<string, StoredRecord[]> {
  const groups = new Map<string, StoredRecord[]>();
  for (const record of records) groups.set(record.hostId, [...(groups.get(record.hostId) ?? []), record]);
  return groups;
}
