/** The ages beyond which a leak is a leak. */
import type { HearingLimits } from './last-heard.js';

export type ReapClass = 'unowned' | 'unowned-under-pressure' | 'terminal-task-leak';

export interface ReapLimits extends HearingLimits {
  readonly orphanAgeMs: number;
  /** Live sessions on a host from which on the smaller of the two orphan ages holds. */
  readonly pressureSessions: number;
  readonly orphanAgeUnderPressureMs: number;
  readonly terminalTaskGraceMs: number;
}

/** The age from which on an unowned session of a host with so many live sessions is reaped. */
export function effectiveOrphanAgeMs(liveSessions: number, limits: ReapLimits): number {
  return liveSessions >= limits.pressureSessions ? Math.min(limits.orphanAgeMs, limits.orphanAgeUnderPressureMs) : limits.orphanAgeMs;
}
