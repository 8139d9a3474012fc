/** The transition table as Markdown, for the docs. */
import { TASK_STATUSES, TASK_TRANSITIONS, isEndedTask, type TaskTransition } from './task-transitions.js';

/** A state diagram and a table, both made from `TASK_TRANSITIONS`; ends with a line break. */
export function renderTaskTransitions(transitions: readonly TaskTransition[] = TASK_TRANSITIONS): string {
  return [
    '```mermaid',
    'stateDiagram-v2',
    '    [*] --> open: create',
    ...transitions.map(({ from, action, to }) => `    ${from} --> ${to}: ${action}`),
    ...TASK_STATUSES.filter(isEndedTask).map((status) => `    ${status} --> [*]`),
    '```',
    '',
    '| in | action | becomes | meaning |',
    '|---|---|---|---|',
    ...transitions.map(({ from, action, to, meaning }) => `| \`${from}\` | \`${action}\` | \`${to}\` | ${meaning} |`),
    '',
  ].join('\n');
}
