/** From the form's fields to a task. */
import { expect, it } from '@jest/globals';
import { newTaskOf, type NewTaskFields } from './new-task.js';

const fields = (more: Partial<NewTaskFields>): NewTaskFields => ({
  title: 'Build',
  kind: 'command',
  args: 'make',
  cwd: '',
  launch: true,
  ...more,
});

it.each([
  [fields({ args: `sh -c 'exit 3'` }), { title: 'Build', agent: { kind: 'command', args: ['sh', '-c', 'exit 3'] }, launch: true }],
  [fields({ kind: 'shell', args: ' ', launch: false }), { title: 'Build', agent: { kind: 'shell' } }],
  [
    fields({ kind: 'codex', args: '--full-auto', cwd: ' /src ', title: ' Fix ' }),
    {
      ...{ title: 'Fix', agent: { kind: 'codex', args: ['--full-auto'] }, cwd: '/src', launch: true },
    },
  ],
])('%j becomes a task', (typed, task) => {
  expect(newTaskOf(typed)).toEqual({ ok: true, task });
});

it.each([
  [fields({ title: ' ' }), { title: 'say what is to be done' }],
  [fields({ args: '' }), { args: 'name a program' }],
  [fields({ kind: 'shell', args: `'x` }), { args: "the quote ' is not closed" }],
  [fields({ cwd: 'src' }), { cwd: 'must be an absolute path' }],
])('%j is refused in its field', (typed, faults) => {
  expect(newTaskOf(typed)).toEqual({ ok: false, faults });
});
