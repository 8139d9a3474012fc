/** When a service that died comes back. */
import { describe, expect, it } from '@jest/globals';
import { restartPauseMs } from './restart-policy.js';

describe('restartPauseMs', () => {
  it('is nothing for a service that had been ready, and grows to ten seconds for one that never is', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7, 50].map(restartPauseMs)).toEqual([0, 250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  });
});
