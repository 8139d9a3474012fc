/** The one table of a task's life: which action is legal in which status, and where it leads. */

export const TASK_STATUSES = ['open', 'pending', 'in_progress', 'completed', 'terminated', 'cancelled'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** What people and services ask for. */
export const TASK_REQUESTS = ['launch', 'complete', 'terminate', 'cancel', 'reopen'] as const;
export type TaskRequest = (typeof TASK_REQUESTS)[number];

/** Requests, and what the system itself does: `start` when the session started, `release` when a launch was given up. */
export type TaskAction = TaskRequest | 'start' | 'release';

export interface TaskTransition {
  readonly from: TaskStatus;
  readonly action: TaskAction;
  readonly to: TaskStatus;
  readonly meaning: string;
}

/** `completed` is never left for `cancelled`, and nothing ends that has ended: both simply have no row. */
export const TASK_TRANSITIONS: readonly TaskTransition[] = [
  { from: 'open', action: 'launch', to: 'pending', meaning: 'admitted; a session is on its way' },
  { from: 'open', action: 'complete', to: 'completed', meaning: 'the work was done elsewhere' },
  { from: 'open', action: 'terminate', to: 'terminated', meaning: 'the work was given up elsewhere' },
  { from: 'open', action: 'cancel', to: 'cancelled', meaning: 'nobody wants it any more' },
  { from: 'pending', action: 'start', to: 'in_progress', meaning: 'its session started' },
  { from: 'pending', action: 'release', to: 'open', meaning: 'the session could not be started; the reason says why' },
  { from: 'pending', action: 'cancel', to: 'cancelled', meaning: 'nobody wants it any more, or it waited too long' },
  { from: 'in_progress', action: 'complete', to: 'completed', meaning: 'its session exited with 0, or somebody says it is done' },
  { from: 'in_progress', action: 'terminate', to: 'terminated', meaning: 'its session exited otherwise, or somebody gave it up' },
  { from: 'in_progress', action: 'cancel', to: 'cancelled', meaning: 'nobody wants it any more' },
  { from: 'completed', action: 'reopen', to: 'open', meaning: 'there is more to do' },
  { from: 'terminated', action: 'reopen', to: 'open', meaning: 'it is tried again' },
  { from: 'cancelled', action: 'reopen', to: 'open', meaning: 'it is wanted after all' },
];

export type TransitionVerdict =
  { readonly ok: true; readonly to: TaskStatus } | { readonly ok: false; readonly allowed: readonly TaskRequest[] };

/** Where `action` leads from `status`, or what may be asked for instead. */
export function decideTransition(status: TaskStatus, action: TaskAction): TransitionVerdict {
  const row = TASK_TRANSITIONS.find((transition) => transition.from === status && transition.action === action);
  return row ? { ok: true, to: row.to } : { ok: false, allowed: allowedRequests(status) };
}

/** In the order of `TASK_REQUESTS`. */
export function allowedRequests(status: TaskStatus): readonly TaskRequest[] {
  return TASK_REQUESTS.filter((request) => TASK_TRANSITIONS.some(({ from, action }) => from === status && action === request));
}

export function isEndedTask(status: TaskStatus): boolean {
  return status === 'completed' || status === 'terminated' || status === 'cancelled';
}
