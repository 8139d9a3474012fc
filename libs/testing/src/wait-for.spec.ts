/** Waiting for facts. */
import { describe, expect, it } from '@jest/globals';
import { waitFor } from './wait-for.js';

describe('waitFor', () => {
  it('returns the first value that is there', async () => {
    let looks = 0;
    expect(await waitFor(() => (++looks < 3 ? undefined : looks), { what: 'three looks', everyMs: 1 })).toBe(3);
  });

  it('takes zero and the empty string as values', async () => {
    expect([await waitFor(() => 0, { what: 'zero' }), await waitFor(() => '', { what: 'nothing' })]).toEqual([0, '']);
  });

  it('looks again after an error, and names the last one when time runs out', async () => {
    const cause = new Error('not there');
    const fails = waitFor(() => Promise.reject(cause), { what: 'the impossible', withinMs: 5, everyMs: 1 });
    await expect(fails).rejects.toMatchObject({ message: 'not within 5 ms: the impossible', cause });
  });
});
