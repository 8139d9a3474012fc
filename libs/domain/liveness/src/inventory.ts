/** One session as its host's beat tells it. */

export type SessionState = 'starting' | 'running' | 'unreachable' | 'exited' | 'lost';

/** A session that carries this label, whatever its value, is never reaped. */
export const KEEP_LABEL = 'keep';

export interface InventorySession {
  readonly sessionId: string;
  readonly epoch: number;
  readonly state: SessionState;
  /** `operator:NAME`, `task:ID`, `pool:ID`, `service:NAME`; empty = none. */
  readonly owner: string;
  readonly taskId?: string | undefined;
  /** Since the create, by the host's boot clock, as of the beat; null = unknown. */
  readonly ageMs: number | null;
  /** Since the create or its last repetition; absent = never repeated, so `ageMs`; null = unknown. */
  readonly renewedAgoMs?: number | null | undefined;
  /** How long a `service:` wants it after that; absent = for ever. */
  readonly ttlMs?: number | undefined;
  readonly keep: boolean;
  /** False: adopted from a live process that nobody had written down. */
  readonly recorded: boolean;
  /** True: its pool is no more. */
  readonly ownerGone: boolean;
}

/** Counts towards pressure. One that does not answer may still run. */
export function isLive(state: SessionState): boolean {
  return state === 'starting' || state === 'running' || state === 'unreachable';
}
