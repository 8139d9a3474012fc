/** Admission, reservations, ages and delays, as numbers. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  DEFAULT_ADMISSION_LIMITS,
  MAX_EARLY_MS,
  RESERVATION_MS,
  ageOf,
  decideAdmission,
  decideRedelivery,
  formatBootMoment,
  isPendingTooLong,
  mayReserve,
  parseBootMoment,
} from './index.js';

const limits = DEFAULT_ADMISSION_LIMITS;

describe('decideAdmission', () => {
  it('takes 24 that wait and refuses the next', () => {
    expect([23, 24, 25].map((pending) => decideAdmission({ pending, launchedAt: [] }, 0, limits).do)).toEqual([
      'admit',
      'refuse',
      'refuse',
    ]);
  });

  it('lets an owner launch again when the oldest of 30 launches leaves the window', () => {
    const launchedAt = Array.from({ length: 30 }, (_, index) => 1_000 + index);
    expect(decideAdmission({ pending: 0, launchedAt }, 4_000, limits)).toEqual({ do: 'refuse', why: 'launch-rate', retryAfterMs: 7_000 });
    expect(decideAdmission({ pending: 0, launchedAt }, 11_000, limits)).toEqual({ do: 'admit' });
  });

  it('admits whoever comes back after retryAfterMs, and not a moment sooner', () => {
    const times = fc.array(fc.nat(20_000), { maxLength: 80 }).map((list) => [...list].sort((a, b) => a - b));
    fc.assert(
      fc.property(times, (launchedAt) => {
        const now = launchedAt[launchedAt.length - 1] ?? 0;
        const verdict = decideAdmission({ pending: 0, launchedAt }, now, limits);
        if (verdict.do === 'admit' || verdict.why !== 'launch-rate') return;
        expect(decideAdmission({ pending: 0, launchedAt }, now + verdict.retryAfterMs, limits)).toEqual({ do: 'admit' });
        expect(decideAdmission({ pending: 0, launchedAt }, now + verdict.retryAfterMs - 1, limits).do).toBe('refuse');
      }),
    );
  });

  it('lets a launch wait for 240 minutes', () => {
    expect([240 * 60_000, 240 * 60_000 + 1].map((age) => isPendingTooLong(age, limits))).toEqual([false, true]);
  });
});

describe('ageOf', () => {
  it('counts on the boot clock, and of another boot at least the time since this one', () => {
    const now = { bootId: 'b', ms: 5_000 };
    expect([ageOf({ bootId: 'b', ms: 3_000 }, now), ageOf({ bootId: 'a', ms: 999_999 }, now)]).toEqual([2_000, 5_000]);
  });

  it('reads what it wrote and nothing else', () => {
    const moment = { bootId: '6b5a', ms: 12 };
    expect([parseBootMoment(formatBootMoment(moment)), parseBootMoment('6b5a'), parseBootMoment('a b'), parseBootMoment('')]).toEqual([
      moment,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('mayReserve', () => {
  const held = { token: 'other', at: { bootId: 'b', ms: 0 } };
  it.each([
    ['nobody holds it', undefined, 0, false, true],
    ['another process holds it', held, RESERVATION_MS, false, false],
    ['its holder let it run out', held, RESERVATION_MS + 1, false, true],
    ['this process has just started', held, 0, true, true],
    ['this process holds it', { ...held, token: 'mine' }, 0, false, true],
  ])('when %s', (_, current, ms, starting, expected) => {
    expect(mayReserve(current, { token: 'mine', now: { bootId: 'b', ms }, starting })).toBe(expected);
  });
});

describe('decideRedelivery', () => {
  it('waits ten minutes in all, in delays that grow to 15 s', () => {
    const delays: number[] = [];
    for (let delivery = 1; ; delivery += 1) {
      const verdict = decideRedelivery(delivery);
      if (verdict.do === 'give-up') break;
      delays.push(verdict.ms);
    }
    expect([delays.slice(0, 4), Math.max(...delays), delays.reduce((sum, delay) => sum + delay, 0)]).toEqual([
      [250, 500, 1_000, 2_000],
      15_000,
      MAX_EARLY_MS,
    ]);
  });
});
