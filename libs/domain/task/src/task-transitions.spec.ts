/** What may be done with a task in each status, and what no sequence of actions can do. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  TASK_REQUESTS,
  TASK_STATUSES,
  TASK_TRANSITIONS,
  allowedRequests,
  decideTransition,
  isEndedTask,
  renderTaskTransitions,
  type TaskAction,
  type TaskStatus,
} from './index.js';

const ACTIONS: readonly TaskAction[] = [...TASK_REQUESTS, 'start', 'release'];

/** Every status a list of actions passes, the first included; an illegal action is left out. */
function walk(actions: readonly TaskAction[], from: TaskStatus = 'open'): TaskStatus[] {
  const path: TaskStatus[] = [from];
  for (const action of actions) {
    const verdict = decideTransition(path[path.length - 1] ?? from, action);
    if (verdict.ok) path.push(verdict.to);
  }
  return path;
}

describe('the transition table', () => {
  it('allows in each status exactly what the design says', () => {
    expect(Object.fromEntries(TASK_STATUSES.map((status) => [status, allowedRequests(status)]))).toEqual({
      open: ['launch', 'complete', 'terminate', 'cancel'],
      pending: ['cancel'],
      in_progress: ['complete', 'terminate', 'cancel'],
      completed: ['reopen'],
      terminated: ['reopen'],
      cancelled: ['reopen'],
    });
  });

  it.each(TASK_STATUSES.flatMap((status) => ACTIONS.map((action) => [status, action] as const)))(
    'answers %s + %s with one status or with what is allowed',
    (status, action) => {
      const rows = TASK_TRANSITIONS.filter((row) => row.from === status && row.action === action);
      expect(rows.length).toBeLessThanOrEqual(1);
      expect(decideTransition(status, action)).toEqual(
        rows[0] ? { ok: true, to: rows[0].to } : { ok: false, allowed: allowedRequests(status) },
      );
    },
  );

  it('goes through pending and in_progress to an end', () => {
    expect(walk(['launch', 'start', 'complete'])).toEqual(['open', 'pending', 'in_progress', 'completed']);
  });

  it('never makes a completed task cancelled before it was reopened', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...ACTIONS)), (actions) => {
        const path = walk(actions);
        return path.every((status, at) => status !== 'cancelled' || path[at - 1] !== 'completed');
      }),
    );
  });

  it('leaves an end only by reopening', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...ACTIONS)), (actions) => {
        const path = walk(actions);
        return path.every((status, at) => at === 0 || !isEndedTask(path[at - 1] ?? 'open') || status === 'open');
      }),
    );
  });

  it('makes nobody in_progress who was not pending just before', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...ACTIONS)), (actions) => {
        const path = walk(actions);
        return path.every((status, at) => status !== 'in_progress' || path[at - 1] === 'pending');
      }),
    );
  });
});

describe('renderTaskTransitions', () => {
  it('has each row once in the diagram and once in the table', () => {
    const lines = renderTaskTransitions().split('\n');
    const counts = TASK_TRANSITIONS.map(({ from, action, to }) => [
      lines.filter((line) => line === `    ${from} --> ${to}: ${action}`).length,
      lines.filter((line) => line.startsWith(`| \`${from}\` | \`${action}\` | \`${to}\` |`)).length,
    ]);
    expect(counts).toEqual(TASK_TRANSITIONS.map(() => [1, 1]));
  });
});
