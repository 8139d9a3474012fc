/** Brings facts from the outbox to the broker: in order, at least once, for ever. */
import { ServiceError } from '@holdfast/kernel';
import type { CloudEvent } from '@holdfast/platform-messaging';
import type { Clock } from '../host/clock.js';
import type { Log } from '@holdfast/platform-observability';
import type { OutboxRow, TaskStore } from '../tasks/task-store.port.js';

const BATCH = 100;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** Rows that another process wrote are found within this. */
const IDLE_LOOK_MS = 30_000;

export interface OutboxPublisherOptions {
  readonly store: TaskStore;
  /** Resolves once the broker has the event on disk; rejects when that is not known. The event's id makes repeats harmless. */
  readonly publish: (subject: string, event: CloudEvent) => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Log;
}

/** One event at a time, the oldest first: order holds for every task, since a later fact never passes an earlier one. */
export class OutboxPublisher {
  private pending = 0;
  private closed = false;
  private woken = false;
  private wakeUp: () => void = () => undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: OutboxPublisherOptions) {}

  /** Events not yet published, from a counter. */
  get pendingCount(): number {
    return this.pending;
  }

  async start(): Promise<void> {
    this.pending = await this.options.store.read((unit) => unit.outbox.countPending());
    this.running = this.run();
  }

  /** So many new events were committed, or the broker is back. */
  wake(events: number): void {
    this.pending += events;
    this.woken = true;
    this.wakeUp();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.wakeUp();
    await this.running;
  }

  private async run(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (!this.closed) {
      this.woken = false;
      try {
        const published = await this.publishBatch();
        pauseMs = FIRST_PAUSE_MS;
        if (published === 0 && !this.woken) await this.pause(IDLE_LOOK_MS);
      } catch (error) {
        const { code } = ServiceError.from(error);
        if (code !== 'service.unreachable') this.options.log.warn('outbox.delayed', { pending: this.pending, why: code });
        if (!this.woken) await this.pause(pauseMs);
        pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
      }
    }
  }

  /** What was published before a failure is marked all the same. */
  private async publishBatch(): Promise<number> {
    const { store, clock } = this.options;
    const rows = await store.read((unit) => unit.outbox.pending(BATCH));
    const done: number[] = [];
    try {
      for (const row of rows) {
        if (this.closed) break;
        await this.publish(row);
        done.push(row.position);
      }
    } finally {
      if (done.length > 0) {
        await store.write((unit) => unit.outbox.markPublished(done, clock.wallTime()));
        this.pending = Math.max(0, this.pending - done.length);
      }
    }
    return done.length;
  }

  /** Sizes are bounded where tasks are made; an event too large all the same must not hold up every later one. */
  private async publish({ subject, body, eventId }: OutboxRow): Promise<void> {
    try {
      await this.options.publish(subject, JSON.parse(body) as CloudEvent);
    } catch (error) {
      if (ServiceError.from(error).code !== 'request.too-large') throw error;
      this.options.log.error('outbox.too-large', { eventId, bytes: body.length });
    }
  }

  private pause(ms: number): Promise<void> {
    if (this.closed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
