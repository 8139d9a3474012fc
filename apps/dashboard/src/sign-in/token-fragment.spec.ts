/** What counts as a sign-in link. */
import { expect, it } from '@jest/globals';
import { tokenIn } from './token-fragment.js';

it.each([
  ['#token=abc', 'abc'],
  ['#token=a%2Bb', 'a+b'],
  ['#token=', undefined],
  ['#/', undefined],
  ['#/sessions/token=abc', undefined],
  ['', undefined],
])('finds in %j the token %j', (fragment, token) => {
  expect(tokenIn(fragment)).toBe(token);
});
