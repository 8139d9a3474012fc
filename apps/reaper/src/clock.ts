/** The times a reaper needs: ages from the monotonic clock, the wall clock for people and for deadlines that travel. */

export interface Clock {
  /** Milliseconds; never jumps. */
  monotonicMs(): number;
  /** Milliseconds since 1970; may jump. */
  wallMs(): number;
}

export const systemClock: Clock = { monotonicMs: () => performance.now(), wallMs: () => Date.now() };

/** ISO 8601. */
export function wallTime(clock: Clock, inMs = 0): string {
  return new Date(clock.wallMs() + inMs).toISOString();
}
