/** The reaper over a real broker: what it reaps, what keeps it from reaping, and what it tells. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { reaperAuditEntrySchema, type ReaperAuditEntry } from '@holdfast/contracts';
import { consumeFacts, InstanceStreams, type EventBus } from '@holdfast/platform-messaging';
import { waitFor, watchForLeaks, type LeakWatch } from '@holdfast/testing';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startRig, unowned, type Rig } from './rig.js';

interface SeenEvent {
  readonly subject: string;
  readonly type: string;
  readonly data: ReaperAuditEntry;
}

function followReaperEvents(bus: EventBus): SeenEvent[] {
  const seen: SeenEvent[] = [];
  consumeFacts({
    streams: InstanceStreams.start({ bus, instance: 'default' }),
    stream: 'EVENTS',
    durable: 'follower',
    filterSubject: 'holdfast.v1.event.reaper.>',
    handle: ({ subject, event }) => {
      const { type, data } = event as { type: string; data: unknown };
      seen.push({ subject, type, data: reaperAuditEntrySchema.parse(data) });
      return Promise.resolve('done');
    },
  });
  return seen;
}

const verdictOn = async ({ client }: Rig, sessionId: string): Promise<string | undefined> => {
  const { verdicts } = await client.request('reaper', 'plan', {});
  const verdict = verdicts.find((one) => one.sessionId === sessionId);
  return verdict && `${verdict.do} ${verdict.why}`;
};

describe('reaper', () => {
  let leaks: LeakWatch;
  beforeAll(() => {
    leaks = watchForLeaks();
  });
  afterAll(() => leaks.expectNone());

  it('reaps the unowned only, once it has heard three beats, and tells it by audit, event and counters', async () => {
    await using rig = await startRig();
    const events = followReaperEvents(rig.bus);
    rig.host.sessions.set('leaked', unowned('leaked'));
    rig.host.sessions.set('ada', unowned('ada', { owner: 'operator:ada' }));
    rig.host.sessions.set('kept', unowned('kept', { keep: true }));
    rig.host.beat(2);
    await waitFor(async () => (await verdictOn(rig, 'leaked')) === 'wait deaf', { what: 'two beats are too few' });
    rig.host.beat();
    await waitFor(() => rig.host.killed.length > 0, { what: 'reaped' });
    rig.host.beat();
    const status = await waitFor(
      async () => {
        const now = await rig.client.request('reaper', 'status', {});
        return now.sessionsSeen === 2 && now;
      },
      { what: 'the next beat is swept' },
    );
    expect(status).toMatchObject({
      enabled: true,
      reapedTotal: 1,
      reapedByClass: { unowned: 1 },
      killFailedTotal: 0,
      hostsHeard: 1,
      effectiveOrphanAgeMs: 60_000,
    });
    expect([rig.host.killed, rig.host.evidence]).toEqual([['leaked'], [expect.objectContaining({ why: 'ttl-ran-out', probed: 'alive' })]]);

    const { items } = await rig.client.request('reaper', 'audit', {});
    expect(items.map(({ outcome, verdict }) => [outcome, verdict.sessionId, verdict.class, verdict.epoch])).toEqual([
      ['reaped', 'leaked', 'unowned', 1],
    ]);
    const lines = (await readFile(join(rig.stateDir, 'audit.jsonl'), 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(items);
    await waitFor(() => events.length > 0, { what: 'the event' });
    expect(events).toEqual([{ subject: 'holdfast.v1.event.reaper.reaped', type: 'holdfast.reaper.reaped', data: items[0] }]);
  });

  it('waits while the task store does not answer, and goes on when it does', async () => {
    await using rig = await startRig();
    rig.store.silent = true;
    rig.host.sessions.set('leaked', unowned('leaked'));
    rig.host.beat(3);
    await waitFor(async () => (await verdictOn(rig, 'leaked')) === 'wait store-silent', { what: 'waits for the store' });
    expect(rig.host.killed).toEqual([]);
    rig.store.silent = false;
    rig.host.beat();
    await waitFor(() => rig.host.killed.length > 0, { what: 'reaped' });
    expect(rig.host.killed).toEqual(['leaked']);
  });

  it('kills nothing of what was heard before the broker went away until enough is heard again', async () => {
    await using rig = await startRig();
    rig.store.silent = true;
    rig.host.sessions.set('leaked', unowned('leaked'));
    rig.host.beat(3);
    await waitFor(async () => (await verdictOn(rig, 'leaked')) === 'wait store-silent', { what: 'only the store holds it up' });
    await rig.broker.stop();
    rig.store.silent = false;
    await waitFor(() => rig.log.events.includes('broker.disconnected'), { what: 'the reaper is deaf' });
    const sweepsWhileAway = rig.log.events.filter((event) => event === 'reaper.swept').length + 2;
    await waitFor(() => rig.log.events.filter((event) => event === 'reaper.swept').length >= sweepsWhileAway, {
      what: 'sweeps while the broker is away',
    });
    expect(rig.host.killed).toEqual([]);

    await rig.broker.restart();
    await waitFor(() => rig.client.request('reaper', 'status', {}), { what: 'serves again' });
    rig.host.beat(2);
    await waitFor(async () => (await verdictOn(rig, 'leaked')) === 'wait deaf', { what: 'still deaf' });
    rig.host.beat();
    await waitFor(() => rig.host.killed.length > 0, { what: 'reaped' });
    expect(rig.host.killed).toEqual(['leaked']);
  });

  it('asks before it kills: a session that a newer epoch replaced stays', async () => {
    await using rig = await startRig();
    rig.host.sessions.set('again', unowned('again'));
    rig.host.beat(3);
    rig.host.sessions.set('again', unowned('again', { epoch: 2 }));
    const { verdicts } = await waitFor(
      async () => {
        const plan = await rig.client.request('reaper', 'sweep', { by: 'test' });
        return plan.verdicts.length > 0 && plan;
      },
      { what: 'swept' },
    );
    expect([verdicts.map(({ do: what, why }) => `${what} ${why}`), rig.host.killed]).toEqual([['keep gone'], []]);
  });

  it('does no harm when two reapers run', async () => {
    await using rig = await startRig(2);
    for (const id of ['a', 'b', 'c']) rig.host.sessions.set(id, unowned(id));
    rig.host.sessions.set('ada', unowned('ada', { owner: 'operator:ada' }));
    rig.host.beat(3);
    await waitFor(() => rig.host.killed.length === 3, { what: 'all three reaped' });
    expect([[...rig.host.killed].sort(), [...rig.host.sessions.keys()]]).toEqual([['a', 'b', 'c'], ['ada']]);
  });
});
