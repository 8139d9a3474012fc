/** What the task service said about the tasks and records of an inventory. */
import type { InventorySession } from './inventory.js';

export interface TaskAnswer {
  readonly taskId: string;
  readonly known: boolean;
  readonly status?: 'open' | 'pending' | 'in_progress' | 'completed' | 'terminated' | 'cancelled' | undefined;
  /** Since it ended, as of the answer; null = it has not, or nobody can know. */
  readonly endedForMs: number | null;
}

export interface RecordAnswer {
  readonly sessionId: string;
  readonly taskId: string;
  /** Absent: an older task service, which does not say. */
  readonly epoch?: number | undefined;
  readonly lastStatus: 'starting' | 'running' | 'completed' | 'aborted' | 'lost';
  readonly endedForMs: number | null;
}

/** `silent`: it did not answer, so nothing is known about any task. */
export type StoreAnswer =
  | { readonly silent: true }
  | { readonly silent: false; readonly task?: TaskAnswer | undefined; readonly record?: RecordAnswer | undefined };

const TASK_OWNER = 'task:';

/** The task a session says it works for, by field or by owner. */
export function namedTaskId(session: Pick<InventorySession, 'owner' | 'taskId'>): string | undefined {
  if (session.taskId !== undefined) return session.taskId;
  return session.owner.startsWith(TASK_OWNER) ? session.owner.slice(TASK_OWNER.length) : undefined;
}
