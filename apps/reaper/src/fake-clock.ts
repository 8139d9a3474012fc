/** A clock for tests that stands still until it is told to go. */
import type { Clock } from './clock.js';

export class FakeClock implements Clock {
  nowMs = 1_000_000;

  monotonicMs(): number {
    return this.nowMs;
  }
  wallMs(): number {
    return Date.UTC(2030, 0, 1) + this.nowMs;
  }
}
