/** What people read about verdicts. */
import { expect, it } from '@jest/globals';
import type { ReapVerdict } from '@holdfast/contracts';
import { byUrgency, evidenceText, spanText, sweepText, whyText } from './reaper-text.js';

const verdict = (sessionId: string, what: ReapVerdict['do']): ReapVerdict => ({
  ...{ hostId: 'h', sessionId, epoch: 1, do: what, why: 'young', evidence: {} },
});

it('tells spans in a unit that says them well', () => {
  expect([0, 999, 1_500, 5_000, 60_000, 5_400_000, 7_200_000, 86_400_000, 172_800_000].map(spanText)).toEqual([
    ...['0 ms', '999 ms', '2 s', '5 s', '60 s', '90 min', '2 h', '24 h', '2 d'],
  ]);
});

it('puts what will be reaped first', () => {
  const verdicts = [verdict('d', 'keep'), verdict('c', 'wait'), verdict('b', 'reap'), verdict('a', 'reap')];
  expect(byUrgency(verdicts).map(({ sessionId }) => sessionId)).toEqual(['a', 'b', 'c', 'd']);
});

it('tells evidence and reasons, known or not', () => {
  expect([evidenceText({ owner: 'service:x', ageMs: 7_200_000, ttlMs: null, alive: true }), whyText('young'), whyText('new-word')]).toEqual(
    ['owner: service:x\nageMs: 2 h\nttlMs: null\nalive: true', 'it is too young', 'new-word'],
  );
});

it('tells what a sweep decided', () => {
  expect([
    sweepText({ at: '', verdicts: [verdict('a', 'reap'), verdict('b', 'wait'), verdict('c', 'keep')] }),
    sweepText({ at: '', verdicts: [verdict('a', 'keep')] }),
  ]).toEqual([
    'Looked at 3 sessions: 1 to reap, 1 to wait for. The audit tells what came of it.',
    'Looked at 1 session: none to reap, 0 to wait for.',
  ]);
});
