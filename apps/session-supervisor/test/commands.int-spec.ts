/** What task service and reaper ask over a real broker, of a supervisor with real holders. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor, watchForLeaks, type LeakWatch, stopProcess } from '@holdfast/testing';
import { BrokerRig, soon } from './broker-rig.js';
import { SupervisorRig } from './supervisor-rig.js';

const SLEEP = ['sleep', '300'];

describe('commands', () => {
  let leaks: LeakWatch;
  let broker: BrokerRig;
  let rig: SupervisorRig;
  let hostId: string;
  beforeAll(async () => {
    leaks = watchForLeaks();
    broker = await BrokerRig.start();
    rig = await SupervisorRig.start({ environment: broker.environment });
    hostId = rig.link.hello['hostId'] as string;
  });
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
    await broker[Symbol.asyncDispose]();
    await leaks.expectNone();
  });

  it('launches one session for two launches of one id, at once and later', async () => {
    const spec = { sessionId: 'launched', command: SLEEP, owner: 'task:t1', taskId: 't1' };
    const launch = (attempt: number) => broker.ask(hostId, 'launch', { attempt, notAfter: soon(), spec });
    const answers = [...(await Promise.all([launch(1), launch(2)])), await launch(3)];
    const pids = new Set(answers.map(({ session }) => session.pid));
    expect([pids.size, await rig.startedTreeOf('launched')]).toEqual([1, [answers[0]?.session.pid]]);
    expect((await broker.ask(hostId, 'get', { sessionId: 'launched' })).session).toMatchObject({ state: 'running', taskId: 't1' });
  });

  it('refuses a launch that comes too late, and another spec under the same id', async () => {
    const spec = { sessionId: 'late', command: SLEEP, owner: 'task:t1' };
    const late = broker.ask(hostId, 'launch', { attempt: 1, notAfter: '2020-01-01T00:00:00Z', spec });
    await expect(late).rejects.toMatchObject({ code: 'command.stale' });
    const other = broker.ask(hostId, 'launch', { attempt: 4, notAfter: soon(), spec: { ...spec, sessionId: 'launched' } });
    await expect(other).rejects.toMatchObject({ code: 'session.conflict' });
    await expect(broker.ask(hostId, 'get', { sessionId: 'late' })).rejects.toMatchObject({ code: 'session.not-found' });
  });

  it('kills, and gives the same report again', async () => {
    const kill = { sessionId: 'launched', epoch: 1, notAfter: soon(), by: 'test', reason: 'task t1 ended' };
    const { report } = await broker.ask(hostId, 'kill', kill);
    expect(report).toMatchObject({ signalled: [{ command: 'sleep' }], survivors: [], exit: { signal: 'SIGTERM' } });
    expect((await broker.ask(hostId, 'kill', kill)).report).toEqual(report);
    await expect(broker.ask(hostId, 'kill', { ...kill, epoch: 2 })).rejects.toMatchObject({ code: 'session.stale-handle' });
  });

  it('probes: alive, dead once ended or of another epoch or never there, unknown while the holder is silent', async () => {
    await rig.link.create({ sessionId: 'probed', command: SLEEP, isolation: 'dedicated' });
    const probe = (sessionId: string, epoch = 1) => broker.ask(hostId, 'probe', { sessionId, epoch });
    const alive = await probe('probed');
    expect(alive).toMatchObject({ alive: 'alive', session: { state: 'running' }, ageMs: expect.any(Number) });
    expect((await probe('probed', 2)).alive).toBe('dead');
    expect((await probe('launched')).alive).toBe('dead');
    expect(await probe('never')).toEqual({ alive: 'dead', ageMs: null });
    const holder = rig.manifest('probed').holder.identity.pid;
    stopProcess(holder);
    expect((await probe('probed')).alive).toBe('unknown');
    process.kill(holder, 'SIGCONT');
    await waitFor(async () => (await probe('probed')).alive === 'alive', { what: 'alive again' });
    expect((await probe('probed')).ageMs).toBeGreaterThanOrEqual(alive.ageMs as number);
  });

  it('reaps what nobody owns any more, tells why, and refuses an operator’s, a kept and a renewed one', async () => {
    const service = { command: SLEEP, owner: 'service:x', ttlMs: 0 };
    const reap = async (sessionId: string, evidence: Record<string, unknown> = {}) =>
      broker.ask(hostId, 'reap', { sessionId, epoch: 1, notAfter: soon(), class: 'unowned', evidence });
    await rig.link.create({ sessionId: 'operators', command: SLEEP, owner: 'operator:ada' });
    await rig.link.create({ ...service, sessionId: 'kept', labels: { keep: 'please' } });
    await rig.link.create({ ...service, sessionId: 'renewed' });
    const seen = await broker.ask(hostId, 'probe', { sessionId: 'renewed', epoch: 1 });
    await rig.link.create({ ...service, sessionId: 'renewed' });
    await rig.link.create({ ...service, sessionId: 'unowned' });
    expect(await reap('operators')).toEqual({ killed: false, why: 'operator' });
    expect(await reap('kept')).toEqual({ killed: false, why: 'exempt' });
    expect(await reap('renewed', { renewedAgoMs: (seen.ageMs as number) + 60_000 })).toEqual({ killed: false, why: 'renewed' });
    expect(await reap('unowned')).toMatchObject({ killed: true, report: { survivors: [], exit: { signal: 'SIGTERM' } } });
    expect(rig.treeOf('unowned')).toEqual([]);
    expect(await broker.hears('unowned-1-reaped')).toMatchObject({
      type: 'holdfast.session.reaped',
      data: { class: 'unowned', report: { survivors: [] } },
    });
    expect(broker.idsOf('unowned')).toEqual(['unowned-1-started', 'unowned-1-exited', 'unowned-1-reaped']);
    for (const sessionId of ['operators', 'kept', 'renewed']) expect(await rig.link.get(sessionId)).toMatchObject({ state: 'running' });
  });

  it('are served again after the broker was away and after the supervisor was killed', async () => {
    await broker.server.restart();
    expect((await broker.ask(hostId, 'get', { sessionId: 'operators' })).session.state).toBe('running');
    await rig.restart();
    expect((await broker.ask(hostId, 'get', { sessionId: 'operators' })).session.owner).toBe('operator:ada');
  });

  it('are announced with a host entry of the newest term', async () => {
    const term = rig.link.hello['term'];
    const entry = await waitFor(() => broker.hosts.get(hostId) as { term: number } | undefined, { what: 'a host entry' });
    await waitFor(() => (broker.hosts.get(hostId) as { term: number }).term === term, { what: 'the newest term' });
    expect(entry).toMatchObject({ hostId, link: null, backends: ['holder'], capacity: { sessions: expect.any(Number) } });
  });
});
