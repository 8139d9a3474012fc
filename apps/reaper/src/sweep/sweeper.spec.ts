/** Sweeps with fakes: what is killed, what is not, and what is told of it. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { HostBeat, ReaperPlan } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import { FakeAuditTrail } from '../audit/fake-audit-trail.js';
import { FakeClock } from '../fake-clock.js';
import { HostInventory } from '../inventory/host-inventory.js';
import { FakeSupervisors } from './fake-supervisors.js';
import { FakeTaskStore } from './fake-task-store.js';
import { Sweeper, type SweeperOptions } from './sweeper.js';

const limits = {
  silentAfterMs: 15_000,
  minBeats: 3,
  orphanAgeMs: 60_000,
  pressureSessions: 20,
  orphanAgeUnderPressureMs: 10_000,
  terminalTaskGraceMs: 1_000,
};
type BeatSession = HostBeat['sessions'][number];

function leaked(id: string, changes: Partial<BeatSession> = {}): BeatSession {
  const facts = { epoch: 1, owner: 'service:x', ttlMs: 0, backend: 'holder', state: 'running', pid: 7, viewers: 1 } as const;
  return { id, ...facts, ageMs: 61_000, lastOutputAgoMs: 1, ...changes };
}

describe('Sweeper', () => {
  let clock: FakeClock;
  let inventory: HostInventory;
  let store: FakeTaskStore;
  let supervisors: FakeSupervisors;
  let trail: FakeAuditTrail;
  let seq: number;
  beforeEach(() => {
    clock = new FakeClock();
    seq = 0;
    inventory = new HostInventory(limits);
    store = new FakeTaskStore();
    supervisors = new FakeSupervisors();
    trail = new FakeAuditTrail();
  });

  function sweeper(changes: Partial<SweeperOptions> = {}): Sweeper {
    return new Sweeper({ inventory, store, supervisors, trail, clock, limits, enabled: true, maxKillsPerSweep: 10, ...changes });
  }

  function hear(sessions: readonly BeatSession[], beats = 3): void {
    for (let n = 0; n < beats; n += 1) {
      seq += 1;
      inventory.take(
        { instance: 'default', hostId: 'h', bootId: 'b', term: 1, seq, capacity: { sessions: 9, holders: 1 }, sessions: [...sessions] },
        clock.nowMs,
      );
    }
    for (const { id, ageMs } of sessions) supervisors.probes.set(id, { alive: 'alive', ageMs });
  }

  const shortly = ({ verdicts }: ReaperPlan) => verdicts.map(({ sessionId, do: what, why }) => `${sessionId} ${what} ${why}`);

  it('probes, reaps with epoch, class and evidence, and tells of it', async () => {
    hear([leaked('a'), leaked('b', { owner: 'operator:ada' })]);
    const sweep = sweeper();
    expect(shortly(await sweep.sweep())).toEqual(['a reap ttl-ran-out', 'b keep operator']);
    expect(supervisors.requests).toEqual([
      {
        sessionId: 'a',
        epoch: 1,
        notAfter: '2030-01-01T00:16:45.000Z',
        class: 'unowned',
        evidence: expect.objectContaining({ why: 'ttl-ran-out', ageMs: 61_000, limitMs: 60_000, probed: 'alive' }),
      },
    ]);
    expect(trail.entries.map(({ outcome, verdict, report }) => [outcome, verdict.sessionId, report?.survivors])).toEqual([
      ['reaped', 'a', []],
    ]);
    expect(sweep.status()).toEqual({
      enabled: true,
      sweeps: 1,
      lastSweepAt: '2030-01-01T00:16:40.000Z',
      effectiveOrphanAgeMs: 60_000,
      hostsHeard: 1,
      sessionsSeen: 2,
      reapedTotal: 1,
      reapedByClass: { unowned: 1 },
      killFailedTotal: 0,
      waiting: 0,
      taskUnknown: 0,
    });
  });

  it('only plans when it is asked to plan, or switched off', async () => {
    hear([leaked('a')]);
    const off = sweeper({ enabled: false });
    expect([shortly(await sweeper().plan()), shortly(await off.sweep())]).toEqual([['a reap ttl-ran-out'], ['a wait switched-off']]);
    expect(supervisors.killed).toEqual([]);
  });

  it.each<readonly [string, () => void, string]>([
    ['the store is silent', () => (store.silent = true), 'a wait store-silent'],
    ['the reaper was deaf', () => inventory.deafen(), 'a wait deaf'],
    ['the host is silent', () => (clock.nowMs += 15_001), 'a wait host-silent'],
    ['the probe is not answered', () => supervisors.probes.set('a', new ServiceError('deadline.exceeded', 'x')), 'a wait probe-silent'],
    ['the probe cannot tell', () => supervisors.probes.set('a', { alive: 'unknown', ageMs: 61_000 }), 'a wait probe-unknown'],
    ['the probe does not know its age', () => supervisors.probes.set('a', { alive: 'alive', ageMs: null }), 'a wait age-unknown'],
    ['it was renewed meanwhile', () => supervisors.probes.set('a', { alive: 'alive', ageMs: 61_000, renewedAgoMs: 5 }), 'a wait young'],
    ['it is gone', () => supervisors.probes.delete('a'), 'a keep gone'],
    [
      'its supervisor went away before the kill',
      () => supervisors.reaps.set('a', new ServiceError('service.unreachable', 'x')),
      'a wait host-unreachable',
    ],
  ])('kills nothing and tells nobody when %s', async (_title, given, expected) => {
    hear([leaked('a')]);
    given();
    expect(shortly(await sweeper().sweep())).toEqual([expected]);
    expect([supervisors.killed, trail.entries]).toEqual([[], []]);
  });

  it('asks a silent host once a sweep, however many of its sessions leak', async () => {
    hear(['a', 'b', 'c'].map((id) => leaked(id)));
    let asked = 0;
    const silent = {
      reap: supervisors.reap.bind(supervisors),
      probe: () => Promise.reject(new ServiceError('deadline.exceeded', `probe ${(asked += 1)}`)),
    };
    await sweeper({ supervisors: silent, maxKillsPerSweep: 1 }).sweep();
    expect(asked).toBe(1);
  });

  it('kills no more than its limit a sweep, and does not count those that turn out to be none of its business', async () => {
    hear(['a', 'b', 'c', 'd'].map((id) => leaked(id)));
    supervisors.probes.delete('a');
    const plan = await sweeper({ maxKillsPerSweep: 2 }).sweep();
    expect(shortly(plan)).toEqual(['a keep gone', 'b reap ttl-ran-out', 'c reap ttl-ran-out', 'd wait sweep-limit']);
    expect(supervisors.killed).toEqual(['b', 'c']);
  });

  it('counts a kill that failed, leaves it alone for a growing pause, and tries again', async () => {
    hear([leaked('a')]);
    const survivors = [{ pid: 9, command: 'stuck' }];
    supervisors.reaps.set('a', { killed: true, report: { sessionId: 'a', epoch: 1, signalled: [], survivors, exit: null } });
    const sweep = sweeper();
    const seen: string[] = [];
    for (const afterMs of [0, 4_999, 1, 9_999, 1]) {
      clock.nowMs += afterMs;
      hear([leaked('a')], 1);
      seen.push(...shortly(await sweep.sweep()));
    }
    expect(seen).toEqual(['a reap ttl-ran-out', 'a wait kill-paused', 'a reap ttl-ran-out', 'a wait kill-paused', 'a reap ttl-ran-out']);
    expect([
      sweep.status().killFailedTotal,
      sweep.status().reapedTotal,
      trail.entries.map(({ outcome, detail }) => `${outcome}: ${detail}`),
    ]).toEqual([3, 0, ['failed: 1 processes survived', 'failed: 1 processes survived', 'failed: 1 processes survived']]);
  });

  it.each<readonly [string, Parameters<FakeSupervisors['reaps']['set']>[1], string]>([
    ['refused', { killed: false, why: 'renewed' }, 'refused'],
    ['gone', new ServiceError('session.stale-handle', 'x'), 'gone'],
    ['failed', new ServiceError('deadline.exceeded', 'x'), 'failed'],
  ])('tells a kill that was %s from one that worked', async (_title, answer, outcome) => {
    hear([leaked('a')]);
    supervisors.reaps.set('a', answer);
    const sweep = sweeper();
    await sweep.sweep();
    expect([trail.entries.map((entry) => entry.outcome), sweep.status().reapedTotal]).toEqual([[outcome], 0]);
  });

  it('reaps younger ones under pressure and shows the age in force', async () => {
    hear(Array.from({ length: 20 }, (_, n) => leaked(`s${n}`, n === 0 ? { ageMs: 11_000 } : { owner: 'operator:ada' })));
    const sweep = sweeper();
    await sweep.sweep();
    expect([supervisors.killed, sweep.status().effectiveOrphanAgeMs, sweep.status().reapedByClass]).toEqual([
      ['s0'],
      10_000,
      { 'unowned-under-pressure': 1 },
    ]);
  });

  it('reaps what outlived its task, and alerts for a task the store does not have', async () => {
    store.tasks.set('done', { status: 'cancelled', endedForMs: 2_000 });
    hear([leaked('a', { owner: 'task:done', taskId: 'done', ageMs: 5 }), leaked('b', { owner: 'task:lost', taskId: 'lost' })]);
    const sweep = sweeper();
    expect(shortly(await sweep.sweep())).toEqual(['a reap task-ended', 'b wait task-unknown']);
    expect(sweep.status()).toMatchObject({ reapedByClass: { 'terminal-task-leak': 1 }, taskUnknown: 1, waiting: 1 });
  });

  it('asks the store in questions it takes, however many sessions there are', async () => {
    hear(Array.from({ length: 1_100 }, (_, n) => leaked(`s${n}`, { owner: `task:t${n}` })));
    await sweeper().plan();
    expect(store.asked.map(({ taskIds, sessionIds }) => [taskIds.length, sessionIds.length])).toEqual([
      [500, 500],
      [500, 500],
      [100, 100],
    ]);
  });

  it('does no harm next to a second reaper', async () => {
    hear([leaked('a'), leaked('b')]);
    await Promise.all([sweeper().sweep(), sweeper().sweep()]);
    expect([new Set(supervisors.killed), new Set(supervisors.requests.map(({ epoch }) => epoch))]).toEqual([
      new Set(['a', 'b']),
      new Set([1]),
    ]);
  });
});
