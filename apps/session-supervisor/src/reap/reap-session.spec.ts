/** Reaping: what is checked again, what is written down, and what a crash in its middle leaves to do. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CreateSession } from '@holdfast/contracts';
import { waitFor } from '@holdfast/testing';
import { FakeHandle } from '../backend/fake-backend.js';
import { SessionRig, time } from '../../test/session-rig.js';

const ORDER = {
  sessionId: 's1',
  epoch: 1,
  notAfter: '2026-01-01T00:00:05.000Z',
  class: 'unowned',
  evidence: { owner: 'service:x', renewedAgoMs: 5_000, why: 'ttl-ran-out' },
};
const EXIT = { sessionId: 's1', epoch: 1, exit: { signal: 'SIGTERM' }, endedAt: '2026-01-01T00:00:01.000Z', offset: 0 };
const SPEC: CreateSession = { sessionId: 's1', command: ['true'], owner: 'service:x', ttlMs: 0 };

async function running(rig: SessionRig, spec: Partial<CreateSession> = {}): Promise<FakeHandle> {
  const handle = new FakeHandle();
  rig.backend.handle = handle;
  rig.backend.onKill = () => handle.emitExit(EXIT);
  await rig.create.run({ ...SPEC, ...spec });
  await waitFor(() => rig.registry.require('s1').handle, { what: 'attached' });
  time.bootMs += 5_000;
  return handle;
}

describe('reaping', () => {
  beforeEach(() => {
    time.bootMs = 10_000;
  });

  it('kills, reports, keeps why, and answers the same when repeated', async () => {
    await using rig = await SessionRig.open();
    await running(rig);
    const answer = await rig.reap.run(ORDER);
    expect(answer).toEqual({
      killed: true,
      report: { sessionId: 's1', epoch: 1, signalled: [], survivors: [], exit: { signal: 'SIGTERM' } },
    });
    expect(await rig.reap.run(ORDER)).toEqual(answer);
    expect(rig.backend.killed).toEqual(['s1']);
    rig.restart();
    expect(rig.registry.require('s1').manifest.reap).toEqual({
      class: 'unowned',
      evidence: ORDER.evidence,
      at: '2026-01-01T00:00:00.000Z',
      report: answer.report,
    });
  });

  it.each<[string, Partial<CreateSession>, string]>([
    ['an operator’s session', { owner: 'operator:ada' }, 'operator'],
    ['one labelled keep', { labels: { keep: '' } }, 'exempt'],
    ['one with time to live', { ttlMs: 60_000 }, 'renewed'],
  ])('refuses %s and leaves no trace of the order', async (_what, spec, why) => {
    await using rig = await SessionRig.open();
    await running(rig, spec);
    expect(await rig.reap.run({ ...ORDER, evidence: {} })).toEqual({ killed: false, why });
    expect([rig.backend.killed, rig.registry.require('s1').manifest.reap]).toEqual([[], undefined]);
  });

  it('refuses a session that was renewed by the same create, also over a restart', async () => {
    await using rig = await SessionRig.open();
    await running(rig);
    expect((await rig.create.run(SPEC)).created).toBe(false);
    rig.restart();
    expect(await rig.reap.run(ORDER)).toEqual({ killed: false, why: 'renewed' });
    expect(await rig.probe.run(ORDER)).toMatchObject({ alive: 'alive', ageMs: 5_000, renewedAgoMs: 0 });
  });

  it('refuses what it cannot look at, and says so of what has ended or never was', async () => {
    await using rig = await SessionRig.open();
    const handle = await running(rig);
    rig.backend.alive = 'unknown';
    expect(await rig.reap.run(ORDER)).toEqual({ killed: false, why: 'unreachable' });
    await expect(rig.reap.run({ ...ORDER, epoch: 2 })).rejects.toMatchObject({ code: 'session.stale-handle' });
    await expect(rig.reap.run({ ...ORDER, sessionId: 's2' })).rejects.toMatchObject({ code: 'session.not-found' });
    handle.emitExit(EXIT);
    await rig.registry.require('s1').whenEnded;
    await expect(rig.reap.run(ORDER)).rejects.toMatchObject({ code: 'session.ended' });
  });

  it('finishes after a crash what it had begun, and gives up what no longer holds', async () => {
    await using rig = await SessionRig.open();
    await running(rig);
    const { manifest } = rig.registry.require('s1');
    await rig.manifests.save({ ...manifest, reap: { class: 'unowned', evidence: {}, at: '2026-01-01T00:00:00.000Z' } });
    rig.restart();
    rig.backend.alive = 'unknown';
    await rig.reap.resume(rig.registry.require('s1'));
    expect(rig.registry.require('s1').manifest.reap).toBeUndefined();
    await rig.manifests.save({ ...manifest, reap: { class: 'unowned', evidence: {}, at: '2026-01-01T00:00:00.000Z' } });
    rig.restart();
    rig.backend.alive = 'alive';
    await rig.reap.resume(rig.registry.require('s1'));
    expect(rig.registry.require('s1').manifest.reap?.report).toMatchObject({ exit: { signal: 'SIGTERM' } });
  });
});

describe('probing', () => {
  it('tells dead from silent', async () => {
    await using rig = await SessionRig.open();
    const handle = await running(rig);
    const handles = { sessionId: 's1', epoch: 1 };
    expect(await rig.probe.run({ ...handles, epoch: 2 })).toMatchObject({ alive: 'dead', session: { epoch: 1 } });
    rig.backend.alive = 'unknown';
    expect((await rig.probe.run(handles)).alive).toBe('unknown');
    expect(await rig.probe.run({ sessionId: 'never', epoch: 1 })).toEqual({ alive: 'dead', ageMs: null });
    rig.backend.listing = { known: false, why: 'a holder is silent' };
    expect(await rig.probe.run({ sessionId: 'never', epoch: 1 })).toEqual({ alive: 'unknown', ageMs: null });
    handle.emitExit(EXIT);
    await rig.registry.require('s1').whenEnded;
    expect(await rig.probe.run(handles)).toMatchObject({ alive: 'dead', session: { state: 'exited' } });
  });
});
