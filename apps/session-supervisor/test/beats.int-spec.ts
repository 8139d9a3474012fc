/** Beats over a real broker, which may be away. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hostBeatEventSchema, type HostBeatEvent } from '@holdfast/contracts';
import { startNatsServer, waitFor, watchForLeaks, type LeakWatch } from '@holdfast/testing';
import { connect } from '@nats-io/transport-node';
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
    await rig.link.ask('attach', { sessionId: 'heard', viewerId: 'v1', mode: 'read' });
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
      term: 1,
      capacity: { sessions: 8, holders: 1 },
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
      ],
    });
    subscription.unsubscribe();
    await follower.close();
  });
});
