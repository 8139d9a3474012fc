/** When a flood is held, and when it goes on. */
import { describe, expect, it } from '@jest/globals';
import { FloodPace, HOLD_AT_LAG_BYTES, HOLD_MS, RELEASE_AT_LAG_BYTES } from './flood-pace.js';

describe('FloodPace', () => {
  it('holds once at the high mark, releases at the low one, and holds again after a hold ran out', () => {
    const pace = new FloodPace();
    const steps: readonly [number | undefined, number][] = [
      [HOLD_AT_LAG_BYTES, 0],
      [HOLD_AT_LAG_BYTES + 1, 1],
      [HOLD_AT_LAG_BYTES + 1, 2],
      [RELEASE_AT_LAG_BYTES + 1, 3],
      [RELEASE_AT_LAG_BYTES, 4],
      [RELEASE_AT_LAG_BYTES, 5],
      [HOLD_AT_LAG_BYTES + 1, 6],
      [HOLD_AT_LAG_BYTES + 1, 6 + HOLD_MS],
    ];
    expect(steps.map(([lag, now]) => pace.decide(lag, now))).toEqual([
      'as-is',
      'hold',
      'as-is',
      'as-is',
      'release',
      'as-is',
      'hold',
      'hold',
    ]);
  });

  it('lets go when nobody sets the pace any more', () => {
    const pace = new FloodPace();
    pace.decide(HOLD_AT_LAG_BYTES + 1, 0);
    expect(pace.decide(undefined, 1)).toBe('release');
  });
});
