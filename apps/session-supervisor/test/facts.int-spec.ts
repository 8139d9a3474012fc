/** Facts about sessions through outages of the broker and deaths of the supervisor: each arrives, in order, once by its id. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { watchForLeaks, waitFor, type LeakWatch } from '@holdfast/testing';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BrokerRig } from './broker-rig.js';
import { SupervisorRig } from './supervisor-rig.js';

const UNTIL_TOLD = ['sh', '-c', 'read go; exit 3'];

async function end(rig: SupervisorRig, sessionId: string): Promise<void> {
  await rig.link.type(sessionId, 'go\n');
  await waitFor(async () => (await rig.link.get(sessionId)).state === 'exited', { what: `${sessionId} exited` });
}

function sentFacts(rig: SupervisorRig, sessionId: string): string {
  return readFileSync(join(rig.stateDir, 'sessions', sessionId, 'facts.json'), 'utf8');
}

describe('session facts', () => {
  let leaks: LeakWatch;
  let broker: BrokerRig;
  beforeAll(async () => {
    leaks = watchForLeaks();
    broker = await BrokerRig.start();
  });
  afterAll(async () => {
    await broker[Symbol.asyncDispose]();
    await leaks.expectNone();
  });

  it('tell an exit that happened while the broker was down, once it is back', async () => {
    await using rig = await SupervisorRig.start({ environment: broker.environment });
    const { session } = await rig.link.create({ sessionId: 'outage', command: UNTIL_TOLD, owner: 'task:t1', taskId: 't1' });
    const started = await broker.hears('outage-1-started');
    await broker.server.stop();
    await end(rig, 'outage');
    await rig.link.create({ sessionId: 'born-in-it', command: ['true'] });
    await broker.server.restart();
    const exited = await broker.hears('outage-1-exited');
    const about = { sessionId: 'outage', epoch: 1, hostId: session.hostId, owner: 'task:t1', taskId: 't1', backend: 'holder' };
    expect([started, exited].map(({ source, type, data }) => ({ source, type, data }))).toEqual([
      {
        source: `/session-supervisor/${session.hostId}`,
        type: 'holdfast.session.started',
        data: { ...about, at: session.startedAt, pid: session.pid },
      },
      {
        source: `/session-supervisor/${session.hostId}`,
        type: 'holdfast.session.exited',
        data: { ...about, at: (await rig.link.get('outage')).endedAt, exit: { code: 3 }, offset: (await rig.link.get('outage')).offset },
      },
    ]);
    await broker.hears('born-in-it-1-exited');
    expect(broker.idsOf('born-in-it')).toEqual(['born-in-it-1-started', 'born-in-it-1-exited']);
  });

  it('tell an exit after the supervisor died between it and its publication, and repeat none', async () => {
    await using rig = await SupervisorRig.start({ environment: broker.environment });
    await rig.link.create({ sessionId: 'crash', command: UNTIL_TOLD });
    await broker.hears('crash-1-started');
    await waitFor(() => sentFacts(rig, 'crash').includes('started'), { what: 'the mark' });
    broker.server.freeze();
    await end(rig, 'crash');
    await rig.killSupervisor();
    broker.server.thaw();
    await rig.startSupervisor();
    await broker.hears('crash-1-exited');
    await rig.restart();
    await rig.link.create({ sessionId: 'after-crash', command: ['true'] });
    await broker.hears('after-crash-1-exited');
    expect(broker.idsOf('crash')).toEqual(['crash-1-started', 'crash-1-exited']);
  });

  it('keep their ids when a crash lost the mark: the broker stores a repetition once', async () => {
    await using rig = await SupervisorRig.start({ environment: broker.environment });
    await rig.link.create({ sessionId: 'unmarked', command: ['true'] });
    await broker.hears('unmarked-1-exited');
    await rig.killSupervisor();
    rmSync(join(rig.stateDir, 'sessions', 'unmarked', 'facts.json'), { force: true });
    await rig.startSupervisor();
    await waitFor(() => sentFacts(rig, 'unmarked').includes('exited'), { what: 'sent again', withinMs: 30_000 });
    await rig.link.create({ sessionId: 'after-unmarked', command: ['true'] });
    await broker.hears('after-unmarked-1-exited');
    expect(broker.idsOf('unmarked')).toEqual(['unmarked-1-started', 'unmarked-1-exited']);
  });

  it('tell a loss, and what ended before any supervisor could say so', async () => {
    await using rig = await SupervisorRig.start({ environment: broker.environment });
    await rig.link.create({ sessionId: 'doomed', command: ['sleep', '300'] });
    await broker.hears('doomed-1-started');
    await rig.killSupervisor();
    process.kill(rig.manifest('doomed').holder.identity.pid, 'SIGKILL');
    await rig.startSupervisor();
    expect(await broker.hears('doomed-1-lost')).toMatchObject({ data: { exit: { lost: 'holder died' } } });
    expect(broker.idsOf('doomed')).toEqual(['doomed-1-started', 'doomed-1-lost']);
  });

  it('outlive the purge of their session', async () => {
    await using rig = await SupervisorRig.start({ environment: broker.environment });
    await rig.link.create({ sessionId: 'purged', command: UNTIL_TOLD });
    await broker.hears('purged-1-started');
    await broker.server.stop();
    await end(rig, 'purged');
    await rig.link.kill('purged', { purge: true });
    await rig.killSupervisor();
    await broker.server.restart();
    await rig.startSupervisor();
    expect(await broker.hears('purged-1-exited')).toMatchObject({ data: { exit: { code: 3 } } });
  });
});
