/** Which addresses name which pages. */
import { expect, it } from '@jest/globals';
import { routeOf, terminalHref } from './route.js';

it.each([
  ['', { page: 'sessions' }],
  ['#/', { page: 'sessions' }],
  [terminalHref('build-1'), { page: 'terminal', sessionId: 'build-1' }],
  ['#/sessions/No%2FId', { page: 'not-found' }],
  ['#/sessions/', { page: 'not-found' }],
  ['#/else', { page: 'not-found' }],
])('%j', (fragment, route) => {
  expect(routeOf(fragment)).toEqual(route);
});
