/** Keeps who was heard when, and tells a silent host from a reaper that could not hear. */

export interface Beat {
  readonly hostId: string;
  /** Of the supervisor; grows with each of its starts. */
  readonly term: number;
  /** Counts the beats of a term from 1. */
  readonly seq: number;
}

export interface LastHeard extends Beat {
  /** Monotonic milliseconds of the reaper's own clock. */
  readonly heardAtMs: number;
  /** Beats in a row, none missed for long, since the reaper started or could hear again. */
  readonly beats: number;
}

export interface HearingLimits {
  /** A host that was not heard for longer is silent: three beats missed. */
  readonly silentAfterMs: number;
  /** Fewer in a row: we were deaf or have just started, and what we know may be old. */
  readonly minBeats: number;
}

/**
 * The state after a beat, or `previous` itself when the beat tells nothing new: one of an older term (a supervisor that was replaced) or
 * one heard already. A gap, in time or in numbers, of as long as silence takes, or a new term, starts the count again.
 */
export function hear(previous: LastHeard | undefined, beat: Beat, now: number, limits: HearingLimits): LastHeard {
  const { hostId, term, seq } = beat;
  const fresh = { hostId, term, seq, heardAtMs: now };
  if (!previous) return { ...fresh, beats: 1 };
  if (term < previous.term || (term === previous.term && seq <= previous.seq)) return previous;
  const unbroken = term === previous.term && seq - previous.seq <= limits.minBeats && now - previous.heardAtMs <= limits.silentAfterMs;
  return { ...fresh, beats: unbroken ? previous.beats + 1 : 1 };
}

/** The reaper itself could not hear for a while: what it knows of the host counts for nothing until it has heard enough again. */
export function deafen(heard: LastHeard): LastHeard {
  return { ...heard, beats: 0 };
}

export function heardAgoMs(heard: LastHeard, now: number): number {
  return now - heard.heardAtMs;
}

export function isSilent(heard: LastHeard, now: number, limits: HearingLimits): boolean {
  return !(heardAgoMs(heard, now) <= limits.silentAfterMs);
}

export function isDeafTo(heard: LastHeard, limits: HearingLimits): boolean {
  return !(heard.beats >= limits.minBeats);
}
