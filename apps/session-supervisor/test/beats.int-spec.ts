/** Beats over a real broker, which may be away. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hostBeatEventSchema, type HostBeatEvent } from '@holdfast/contracts';
import { startNatsServer, waitFor, watchForLeaks, type LeakWatch } from '@holdfast/testing';
import { connect } from '@nats-io/transport-node';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SupervisorRig } from './supervisor-rig.js';

describe('beats', () => {
  let leaks: LeakWatch;
  beforeAll(() => {
    leaks = watchForLeaks();
  });
  afterAll(() => leaks.expectNone());

  it('tell what the host has, and need no broker to start or to go on', async () => {
    await using broker = await startNatsServer();
    await broker.stop();
    await using rig = await SupervisorRig.start({ environment: { HOLDFAST_NATS_URL: broker.url, HOLDFAST_INSTANCE: 'beats' } });
    const { session } = await rig.link.create({ sessionId: 'heard', command: ['sleep', '300'], owner: 'task:t1', taskId: 't1' });
    const service = { sessionId: 'served', command: ['sleep', '300'], owner: 'service:x', ttlMs: 60_000, labels: { keep: '' } };
    await rig.link.create(service);
    await rig.link.create(service);
    await rig.link.create({ sessionId: 'unwritten', command: ['sleep', '300'] });
    await rig.killSupervisor();
    writeFileSync(join(rig.stateDir, 'sessions', 'unwritten', 'session.json'), 'no json');
    await rig.startSupervisor();
    await rig.link.ask('attach', { sessionId: 'heard', viewerId: 'v1', mode: 'read' });
    await waitFor(() => rig.link.get('unwritten'), { what: 'taken up' });
    await broker.restart();
    const follower = await connect(broker.login);
    const beats: HostBeatEvent[] = [];
    const subscription = follower.subscribe(`holdfast-beats.v1.liveness.host.${session.hostId}`, {
      callback: (_error, message) => void beats.push(hostBeatEventSchema.parse(message.json())),
    });
    await waitFor(() => beats.length >= 2, { what: 'two beats', withinMs: 30_000 });
    const [first, second] = beats as [HostBeatEvent, HostBeatEvent];
    expect(second.data.seq).toBe(first.data.seq + 1);
    expect(first.data).toMatchObject({
      instance: 'beats',
      hostId: session.hostId,
      term: 2,
      capacity: { sessions: 500, holders: 1 },
      sessions: [
        {
          id: 'heard',
          epoch: 1,
          owner: 'task:t1',
          taskId: 't1',
          backend: 'holder',
          state: 'running',
          pid: session.pid,
          ageMs: expect.any(Number),
          viewers: 1,
        },
        {
          id: 'served',
          owner: 'service:x',
          ttlMs: 60_000,
          keep: true,
          ageMs: expect.any(Number),
          renewedAgoMs: expect.any(Number),
        },
        { id: 'unwritten', owner: 'service:unrecorded', recorded: false, ageMs: expect.any(Number) },
      ],
    });
    const [heard, served, unwritten] = first.data.sessions;
    expect([heard?.ttlMs, heard?.renewedAgoMs, heard?.keep, heard?.recorded]).toEqual([undefined, undefined, undefined, undefined]);
    expect(served?.renewedAgoMs).toBeLessThanOrEqual(served?.ageMs as number);
    const { createdBoot, leader } = rig.manifest('unwritten');
    expect(createdBoot.ms).toBe(leader.startTime * 10);
    expect(unwritten?.ageMs).toBeGreaterThanOrEqual(0);
    subscription.unsubscribe();
    await follower.close();
  });
});
