/** Events wait for the broker, in order, and the oldest give way when too many wait. */
import { describe, expect, it } from '@jest/globals';
import type { ReaperAuditEntry } from '@holdfast/contracts';
import { waitFor } from '@holdfast/testing';
import { FakeLog } from '../fake-log.js';
import { EventOutbox, MAX_WAITING_EVENTS } from './event-outbox.js';

function entry(sessionId: string): ReaperAuditEntry {
  return {
    at: '2030-01-01T00:00:00.000Z',
    outcome: 'reaped',
    verdict: { hostId: 'h', sessionId, epoch: 1, do: 'reap', why: 'ttl-ran-out', evidence: {} },
  };
}

function rig() {
  const broker = { away: true, attempts: 0, stored: [] as string[] };
  const log = new FakeLog();
  const publish = (subject: string, event: { readonly subject?: string }): Promise<void> => {
    broker.attempts += 1;
    if (broker.away) return Promise.reject(new Error('away'));
    broker.stored.push(`${subject} ${event.subject}`);
    return Promise.resolve();
  };
  return { broker, log, outbox: new EventOutbox({ publish, root: 'holdfast.v1', log, retryPauseMs: 1 }) };
}

describe('EventOutbox', () => {
  it('publishes in order once the broker is back', async () => {
    const { broker, outbox } = rig();
    for (const id of ['a', 'b', 'c']) outbox.add(entry(id));
    await waitFor(() => broker.attempts > 1, { what: 'tried again' });
    broker.away = false;
    await waitFor(() => broker.stored.length === 3, { what: 'all stored' });
    expect(broker.stored).toEqual(['a', 'b', 'c'].map((id) => `holdfast.v1.event.reaper.reaped ${id}`));
    outbox.close();
  });

  it('drops the oldest, and says so, when too many wait', async () => {
    const { broker, log, outbox } = rig();
    for (let n = 0; n <= MAX_WAITING_EVENTS; n += 1) outbox.add(entry(`s${n}`));
    broker.away = false;
    await waitFor(() => broker.stored.length === MAX_WAITING_EVENTS, { what: 'the rest stored' });
    expect([broker.stored[0], log.events]).toEqual(['holdfast.v1.event.reaper.reaped s1', ['reaper.event-dropped']]);
    outbox.close();
  });
});
