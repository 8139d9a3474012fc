/** When an order to reap still holds. */
import { describe, expect, it } from '@jest/globals';
import { checkReap, type ReapOrder, type ReapSubject } from './reap-check.policy.js';

const SUBJECT: ReapSubject = { owner: 'service:x', recorded: true, keep: false, ttlMs: 0, renewedAgoMs: 60_000 };
const ORDER: ReapOrder = { class: 'unowned', evidence: { owner: 'service:x', renewedAgoMs: 59_000, heardAgoMs: 2_000 } };
const TASK: ReapOrder = { class: 'terminal-task-leak', evidence: { owner: 'task:t1' } };

describe('checkReap', () => {
  it.each<[string, Partial<ReapSubject>, ReapOrder, string]>([
    ['an unowned session', {}, ORDER, 'yes'],
    ['the same under pressure', {}, { ...ORDER, class: 'unowned-under-pressure' }, 'yes'],
    ['an age that only the reaper thinks it has, by what it waited', { renewedAgoMs: 58_000 }, ORDER, 'yes'],
    ['one that was renewed meanwhile', { renewedAgoMs: 100 }, ORDER, 'renewed'],
    ['one whose time still runs', { ttlMs: 70_000 }, ORDER, 'renewed'],
    ['one that may stay for ever', { ttlMs: undefined }, ORDER, 'service-for-ever'],
    ['one of unknown age', { renewedAgoMs: null }, ORDER, 'age-unknown'],
    ['one with the label keep', { keep: true }, ORDER, 'exempt'],
    ['an operator’s', { owner: 'operator:ada' }, { class: 'unowned', evidence: {} }, 'operator'],
    ['an operator’s, as a leak of a task', { owner: 'operator:ada' }, { class: 'terminal-task-leak', evidence: {} }, 'operator'],
    ['a task’s, as unowned', { owner: 'task:t1' }, { class: 'unowned', evidence: {} }, 'owned'],
    ['a pool’s', { owner: 'pool:p' }, { class: 'unowned', evidence: { owner: 'pool:p' } }, 'owned'],
    ['one that has another owner than was seen', { owner: 'service:y' }, ORDER, 'other-owner'],
    ['one that nobody wrote down', { recorded: false, ttlMs: undefined }, { class: 'unowned', evidence: {} }, 'yes'],
    ['a task’s whose task ended', { owner: 'task:t1' }, TASK, 'yes'],
    ['a class this build does not know', {}, { class: 'because', evidence: {} }, 'unknown-class'],
  ])('decides on %s', (_what, subject, order, verdict) => {
    const check = checkReap({ ...SUBJECT, ...subject }, order);
    expect(check.reap === 'yes' ? 'yes' : check.why).toBe(verdict);
  });
});
