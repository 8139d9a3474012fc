/** What is read of an event in the inbox, and what is said about one that cannot be. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readInboxEvent } from './inbox-event.js';

const subject = 'holdfast.v1.inbox.task.cancelled';
const good = { specversion: '1.0', id: '1', source: '/ci', type: 'holdfast.task.cancelled', data: { taskId: 'a', reason: 'x' } };

describe('readInboxEvent', () => {
  it('takes the required attributes only, and leaves all others to the sender', () => {
    expect(readInboxEvent(subject, { ...good, traceparent: '00-1', time: 'whenever' })).toEqual({
      source: '/ci',
      id: '1',
      verb: 'cancelled',
      data: { taskId: 'a', reason: 'x' },
    });
  });

  it.each([
    [undefined, 'is no JSON', null],
    ['text', 'is no CloudEvent 1.0', null],
    [{ ...good, specversion: '0.3' }, 'specversion', '1'],
    [{ ...good, id: 7 }, 'id', null],
    [{ ...good, type: 'holdfast.task.toString' }, 'unknown type', '1'],
    [{ ...good, type: 'cancelled' }, 'unknown type', '1'],
    [{ ...good, type: 'holdfast.task.completed' }, 'does not belong', '1'],
    [{ ...good, data: { taskId: '../x' } }, 'taskId', '1'],
    [{ ...good, data: undefined }, 'the event', '1'],
  ])('refuses %j', (event, reason, eventId) => {
    expect(readInboxEvent(subject, event)).toMatchObject({ reason: expect.stringContaining(reason), eventId });
  });

  it('answers anything with an event or a reason', () => {
    fc.assert(fc.property(fc.anything(), (event) => 'reason' in readInboxEvent(subject, event)));
  });
});
