/** Beats in order, repeated, missed, of an older or a newer supervisor. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { deafen, hear, isDeafTo, isSilent, killPauseMs, type LastHeard } from './index.js';

const limits = { silentAfterMs: 15_000, minBeats: 3 };
const beat = (seq: number, term = 1) => ({ hostId: 'h', term, seq });

function hearAll(beats: readonly (readonly [seq: number, now: number, term?: number])[]): LastHeard | undefined {
  return beats.reduce<LastHeard | undefined>((heard, [seq, now, term]) => hear(heard, beat(seq, term), now, limits), undefined);
}

describe('hear', () => {
  it.each([
    [
      'counts beats in a row',
      [
        [1, 0],
        [2, 5_000],
        [3, 10_000],
      ],
      { beats: 3, heardAtMs: 10_000 },
    ],
    [
      'forgives two missed beats',
      [
        [1, 0],
        [2, 5_000],
        [5, 20_000],
      ],
      { beats: 3, heardAtMs: 20_000 },
    ],
    [
      'starts again after three missed beats',
      [
        [1, 0],
        [2, 5_000],
        [6, 6_000],
      ],
      { beats: 1, heardAtMs: 6_000 },
    ],
    [
      'starts again after a silence, whatever the numbers say',
      [
        [1, 0],
        [2, 5_000],
        [3, 20_001],
      ],
      { beats: 1, heardAtMs: 20_001 },
    ],
    [
      'starts again with a new term',
      [
        [7, 0],
        [8, 5_000],
        [1, 6_000, 2],
      ],
      { beats: 1, heardAtMs: 6_000 },
    ],
    [
      'ignores a repeat',
      [
        [1, 0],
        [2, 5_000],
        [2, 6_000],
      ],
      { beats: 2, heardAtMs: 5_000 },
    ],
    [
      'ignores a supervisor that was replaced',
      [
        [1, 0, 2],
        [9, 5_000, 1],
      ],
      { beats: 1, heardAtMs: 0 },
    ],
  ] as const)('%s', (_title, beats, expected) => {
    expect(hearAll(beats)).toMatchObject(expected);
  });

  it('calls a host silent after three missed beats, and itself deaf until it has heard three', () => {
    const heard = { hostId: 'h', term: 1, seq: 9, heardAtMs: 1_000, beats: 3 };
    expect([
      isSilent(heard, 16_000, limits),
      isSilent(heard, 16_001, limits),
      isDeafTo(heard, limits),
      isDeafTo({ ...heard, beats: 2 }, limits),
    ]).toEqual([false, true, false, true]);
  });

  it('needs three beats more after it could not hear', () => {
    let heard = deafen({ hostId: 'h', term: 1, seq: 9, heardAtMs: 1_000, beats: 30 });
    const deaf = [isDeafTo(heard, limits)];
    for (const seq of [10, 11, 12]) {
      heard = hear(heard, beat(seq), 1_000 + seq, limits);
      deaf.push(isDeafTo(heard, limits));
    }
    expect(deaf).toEqual([true, true, true, false]);
  });

  it('hears again only after three beats in a row, whatever comes', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ seq: fc.nat(6), term: fc.nat(2), after: fc.nat(8_000) }), { maxLength: 8 }), (beats) => {
        let heard: LastHeard | undefined;
        let now = 0;
        let distinct = new Set<string>();
        for (const { seq, term, after } of beats) {
          now += after;
          const next = hear(heard, beat(seq, term), now, limits);
          if (next !== heard && next.beats === 1) distinct = new Set();
          if (next !== heard) distinct.add(`${term}.${seq}`);
          heard = next;
          if (!isDeafTo(heard, limits)) expect(distinct.size).toBeGreaterThanOrEqual(3);
        }
      }),
    );
  });
});

describe('killPauseMs', () => {
  it('doubles from five seconds to ten minutes', () => {
    expect([1, 2, 3, 8, 99].map(killPauseMs)).toEqual([5_000, 10_000, 20_000, 600_000, 600_000]);
  });
});
