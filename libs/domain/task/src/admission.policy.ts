/** Who may launch now: how many wait, how fast one owner launches, how long a launch may wait. */

export interface AdmissionLimits {
  /** Launches that wait at the same time, of all owners: each costs a host a start soon. */
  readonly maxPending: number;
  /** Launches of one owner within `launchWindowMs`. */
  readonly maxLaunchesPerWindow: number;
  readonly launchWindowMs: number;
  /** A launch that waits longer is cancelled: whoever wanted it has gone another way. */
  readonly maxPendingAgeMs: number;
}

export const DEFAULT_ADMISSION_LIMITS: AdmissionLimits = {
  maxPending: 24,
  maxLaunchesPerWindow: 30,
  launchWindowMs: 10_000,
  maxPendingAgeMs: 240 * 60_000,
};

export type AdmissionVerdict =
  | { readonly do: 'admit' }
  | { readonly do: 'refuse'; readonly why: 'queue-full' }
  | { readonly do: 'refuse'; readonly why: 'launch-rate'; readonly retryAfterMs: number };

export interface AdmissionFacts {
  /** Tasks that are `pending`. */
  readonly pending: number;
  /** Times of the owner's admitted launches, oldest first, of the clock `now` is of, in milliseconds. */
  readonly launchedAt: readonly number[];
}

export function decideAdmission(facts: AdmissionFacts, now: number, limits: AdmissionLimits): AdmissionVerdict {
  if (facts.pending >= limits.maxPending) return { do: 'refuse', why: 'queue-full' };
  const recent = recentLaunches(facts.launchedAt, now, limits);
  if (recent.length < limits.maxLaunchesPerWindow) return { do: 'admit' };
  /** Once this one has left the window, there is room for one more. */
  const leaving = recent[recent.length - limits.maxLaunchesPerWindow] ?? now;
  return { do: 'refuse', why: 'launch-rate', retryAfterMs: Math.max(1, Math.ceil(leaving + limits.launchWindowMs - now)) };
}

/** The launches that still count. */
export function recentLaunches(launchedAt: readonly number[], now: number, limits: AdmissionLimits): readonly number[] {
  return launchedAt.filter((at) => now - at < limits.launchWindowMs);
}

export function isPendingTooLong(pendingForMs: number, limits: AdmissionLimits): boolean {
  return pendingForMs > limits.maxPendingAgeMs;
}
