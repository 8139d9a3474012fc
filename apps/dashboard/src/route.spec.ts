/** Which addresses name which pages. */
import { expect, it } from '@jest/globals';
import { REAPER_HREF, TASKS_HREF, routeOf, taskHref, terminalHref } from './route.js';

it.each([
  ['', { page: 'sessions' }],
  ['#/', { page: 'sessions' }],
  [terminalHref('build-1'), { page: 'terminal', sessionId: 'build-1' }],
  [TASKS_HREF, { page: 'tasks' }],
  [taskHref('fix-1'), { page: 'task', taskId: 'fix-1' }],
  [REAPER_HREF, { page: 'reaper' }],
  ['#/tasks/', { page: 'not-found' }],
  ['#/tasks/../x', { page: 'not-found' }],
  ['#/sessions/No%2FId', { page: 'not-found' }],
  ['#/sessions/', { page: 'not-found' }],
  ['#/else', { page: 'not-found' }],
])('%j', (fragment, route) => {
  expect(routeOf(fragment)).toEqual(route);
});
