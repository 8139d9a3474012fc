/** When an answer is asked for again, and when the last one does. */
import { expect, it } from '@jest/globals';
import { CachedAnswer } from './cached-answer.js';

it('asks once for everybody within its age, and again after it', async () => {
  let now = 0;
  let asked = 0;
  const answers = new CachedAnswer(() => Promise.resolve((asked += 1)), { maxAgeMs: 10, now: () => now });
  const given = [];
  for (now of [0, 0, 9, 10, 19, 20]) given.push(await answers.get());
  expect(given).toEqual([1, 1, 1, 2, 2, 3]);
});
