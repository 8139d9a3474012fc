/** When something that failed is tried again: after pauses that double, each by its own key. */
import type { Clock } from '../host/clock.js';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

export class RetrySchedule {
  private readonly failed = new Map<string, { readonly pauseMs: number; readonly dueAt: number }>();

  constructor(private readonly clock: Clock) {}

  failedNow(key: string): void {
    const pauseMs = Math.min((this.failed.get(key)?.pauseMs ?? FIRST_PAUSE_MS / 2) * 2, MAX_PAUSE_MS);
    this.failed.set(key, { pauseMs, dueAt: this.clock.monotonicMs() + pauseMs });
  }

  forget(key: string): void {
    this.failed.delete(key);
  }

  /** The reason for waiting is gone: everything is due. */
  makeAllDue(): void {
    this.failed.clear();
  }

  isDue(key: string): boolean {
    const entry = this.failed.get(key);
    return entry === undefined || this.clock.monotonicMs() >= entry.dueAt;
  }
}
