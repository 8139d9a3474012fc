/** What survives the death of the supervisor, of a holder, of the runtime directory: sessions by their own pid, bytes without a gap. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor, watchForLeaks, type LeakWatch, stopProcess } from '@holdfast/testing';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SupervisorRig } from './supervisor-rig.js';

const COUNT = ['sh', '-c', 'i=0; while :; do i=$((i+1)); echo "line $i"; [ $((i % 100)) = 0 ] && sleep 0.01; done'];

/** Every numbered line once, in order; the last may be unfinished. */
function expectCounted(bytes: Buffer): void {
  const lines = bytes.toString().split('\r\n');
  const whole = lines.slice(0, -1);
  expect(whole).toEqual(whole.map((_, index) => `line ${index + 1}`));
}

describe('restarts and deaths', () => {
  let leaks: LeakWatch;
  beforeAll(() => {
    leaks = watchForLeaks();
  });
  afterAll(() => leaks.expectNone());

  it('keeps pid and bytes over kill -9 of the supervisor under output', async () => {
    await using own = await SupervisorRig.start();
    const { session } = await own.link.create({ sessionId: 'count', command: COUNT });
    const before = await own.link.follow('count', 0);
    await waitFor(() => before.bytes.length > 20_000, { what: 'some output' });
    await own.restart();
    const after = await own.link.follow('count', before.bytes.length);
    await waitFor(() => after.bytes.length > 20_000, { what: 'more output' });
    await waitFor(async () => (await own.link.get('count')).state === 'running', { what: 'attached' });
    const running = await own.link.get('count');
    expect(running).toMatchObject({ pid: session.pid, state: 'running', startedAt: session.startedAt });
    expect([before.isContinuous, after.isContinuous]).toEqual([true, true]);
    expectCounted(Buffer.concat([before.bytes, after.bytes]));
    expect(await own.link.type('count', 'x')).toBe(1);
    expect(own.holderPids()).toHaveLength(1);
  });

  it('records the exit of a session that ended while no supervisor ran', async () => {
    await using own = await SupervisorRig.start();
    const { session } = await own.link.create({ sessionId: 'away', command: ['sh', '-c', 'echo begin; read x; echo end; exit 3'] });
    await own.link.type('away', 'go\n');
    await own.killSupervisor();
    await waitFor(() => existsSync(join(own.stateDir, 'sessions', 'away', '1', 'exit.json')), { what: 'exit record' });
    await own.startSupervisor();
    await waitFor(async () => (await own.link.get('away')).state === 'exited', { what: 'exited' });
    expect(await own.link.get('away')).toMatchObject({ exit: { code: 3 }, pid: null, startedAt: session.startedAt });
    expect((await own.link.readAll('away')).toString()).toContain('end\r\n');
  });

  it('marks the sessions of a killed holder lost, kills what is left of them, and leaves other holders alone', async () => {
    await using own = await SupervisorRig.start();
    await own.link.create({
      sessionId: 'doomed',
      command: ['sh', '-c', 'setsid sh -c "trap : HUP; while :; do sleep 1; done" & echo begun; sleep 300'],
    });
    await own.link.create({ sessionId: 'other', command: ['sleep', '300'], isolation: 'dedicated' });
    const feed = await own.link.follow('doomed', 0);
    await waitFor(() => feed.bytes.includes('begun') && own.treeOf('doomed').length >= 3, { what: 'tree' });
    process.kill(own.manifest('doomed').holder.identity.pid, 'SIGKILL');
    await waitFor(async () => (await own.link.get('doomed')).state === 'lost', { what: 'lost' });
    expect(await own.link.get('doomed')).toMatchObject({ exit: { lost: 'holder died' }, pid: null });
    await waitFor(() => feed.events.length > 0, { what: 'exit event' });
    expect(feed.events[0]).toMatchObject({ event: 'exit', exit: { lost: 'holder died' }, after: 'begun\r\n'.length });
    expect((await own.link.readAll('doomed')).toString()).toBe('begun\r\n');
    await waitFor(() => own.treeOf('doomed').length === 0, { what: 'no survivor', withinMs: 20_000 });
    expect(await own.link.get('other')).toMatchObject({ state: 'running' });
    await own.restart();
    expect(await own.link.get('doomed')).toMatchObject({ state: 'lost', exit: { lost: 'holder died' } });
    expect(readdirSync(join(own.runtimeDir, 's'))).toEqual(['other']);
  });

  it('shows sessions of a stopped holder unreachable, serves the others at once, and has them back when it goes on', async () => {
    await using own = await SupervisorRig.start();
    const { session } = await own.link.create({ sessionId: 'frozen', command: ['sh', '-c', 'echo here; cat'] });
    await own.link.create({ sessionId: 'awake', command: ['sleep', '300'], isolation: 'dedicated' });
    const feed = await own.link.follow('frozen', 0);
    await waitFor(() => feed.bytes.includes('here'), { what: 'output' });
    const holder = own.manifest('frozen').holder.identity.pid;
    stopProcess(holder);
    await waitFor(async () => (await own.link.get('frozen')).state === 'unreachable', { what: 'noticed while running' });
    await expect(own.link.type('frozen', 'x')).rejects.toMatchObject({ code: 'holder.unreachable', retry: 'safe' });
    await own.restart();
    await waitFor(async () => (await own.link.get('awake')).state === 'running', { what: 'the other is there' });
    expect(await own.link.get('frozen')).toMatchObject({ state: 'unreachable', pid: session.pid });
    expect((await own.link.readAll('frozen')).toString()).toBe('here\r\n');
    expect(existsSync(join(own.runtimeDir, 's', 'frozen'))).toBe(true);
    process.kill(holder, 'SIGCONT');
    await waitFor(async () => (await own.link.get('frozen')).state === 'running', { what: 'back' });
    expect(await own.link.type('frozen', 'again\n')).toBe(6);
    expect(own.manifest('frozen').holder.identity.pid).toBe(holder);
  });

  it('finds its sessions again after the runtime directory was removed', async () => {
    await using own = await SupervisorRig.start();
    const { session } = await own.link.create({ sessionId: 'kept', command: ['sh', '-c', 'echo here; cat'] });
    await own.killSupervisor();
    rmSync(own.runtimeDir, { recursive: true });
    await own.startSupervisor();
    await waitFor(async () => (await own.link.get('kept')).state === 'running' && (await own.link.type('kept', 'x')) === 1, {
      what: 'back',
    });
    expect((await own.link.get('kept')).pid).toBe(session.pid);
    rmSync(own.runtimeDir, { recursive: true });
    await waitFor(() => own.connect(), { what: 'the link listens again' });
    expect(await own.link.type('kept', 'y')).toBe(1);
  });

  it('refuses a second supervisor on one state directory, and ends cleanly by signal and with its parent', async () => {
    await using own = await SupervisorRig.start();
    await own.link.create({ sessionId: 'alive', command: ['sleep', '300'] });
    await using second = await own.launch();
    expect(await second.exit).toEqual({ code: 4, signal: null });
    expect(JSON.parse(second.stderr())).toMatchObject({ level: 'fatal', code: 'instance.in-use' });
    own.supervisor.kill('SIGTERM');
    expect(await own.supervisor.exit).toEqual({ code: 0, signal: null });
    expect(existsSync(join(own.runtimeDir, 'supervisor.sock'))).toBe(false);
    expect(own.treeOf('alive')).toHaveLength(1);
    await own.startSupervisor();
    expect((await own.link.get('alive')).state).toBe('running');
    const { child } = own.supervisor;
    child.disconnect();
    await waitFor(() => child.exitCode === 0, { what: 'ended with its parent' });
    await own.startSupervisor();
    expect((await own.link.get('alive')).state).toBe('running');
  });

  it.each([
    ['a runtime directory that is a file', { HOLDFAST_RUNTIME_DIR: '/etc/passwd' }],
    ['a backend that this build does not have', { HOLDFAST_BACKEND: 'tmux' }],
  ])('refuses %s by name', async (_what, environment) => {
    await using own = await SupervisorRig.start({});
    await own.killSupervisor();
    await using refused = await own.launch(environment);
    expect((await refused.exit).code).toBe(5);
    expect(JSON.parse(refused.stderr())).toMatchObject({
      code: 'config.invalid',
      message: expect.stringContaining(String(Object.keys(environment)[0])),
    });
  });

  it('refuses a runtime directory that makes socket paths too long before it creates anything', async () => {
    await using own = await SupervisorRig.start({});
    await own.killSupervisor();
    const { HOLDFAST_RUNTIME_DIR } = { HOLDFAST_RUNTIME_DIR: join(own.runtimeDir, 'x'.repeat(90)) };
    await using refused = await own.launch({ HOLDFAST_RUNTIME_DIR });
    expect((await refused.exit).code).toBe(5);
    expect(JSON.parse(refused.stderr())).toMatchObject({ code: 'config.socket-path-too-long' });
    expect(existsSync(HOLDFAST_RUNTIME_DIR)).toBe(false);
  });

  it('loses nothing when holders refuse its term: sessions are unreachable until a higher one comes', async () => {
    await using own = await SupervisorRig.start();
    const { session } = await own.link.create({ sessionId: 'termed', command: ['sh', '-c', 'echo here; cat'] });
    await own.restart();
    await waitFor(async () => (await own.link.get('termed')).state === 'running', { what: 'term 2' });
    await own.killSupervisor();
    writeFileSync(join(own.stateDir, 'term'), '0');
    await own.startSupervisor();
    expect(await own.link.get('termed')).toMatchObject({ state: 'unreachable', pid: session.pid });
    expect((await own.link.readAll('termed')).toString()).toBe('here\r\n');
    await own.killSupervisor();
    writeFileSync(join(own.stateDir, 'term'), '7');
    await own.startSupervisor();
    await waitFor(async () => (await own.link.get('termed')).state === 'running', { what: 'attached' });
    expect((await own.link.get('termed')).pid).toBe(session.pid);
  });

  it('grows its term and keeps its host id', async () => {
    await using own = await SupervisorRig.start();
    const first = own.link.hello;
    await own.restart();
    expect(own.link.hello).toEqual({ ...first, term: (first['term'] as number) + 1 });
  });

  it('shows a session whose manifest was lost as unowned, with its own pid and bytes', async () => {
    await using own = await SupervisorRig.start();
    const { session } = await own.link.create({ sessionId: 'orphan', command: ['sh', '-c', 'echo here; cat'] });
    await own.killSupervisor();
    writeFileSync(join(own.stateDir, 'sessions', 'orphan', 'session.json'), 'no json');
    await own.startSupervisor();
    await waitFor(async () => (await own.link.get('orphan')).state === 'running', { what: 'adopted' });
    expect(await own.link.get('orphan')).toMatchObject({
      pid: session.pid,
      owner: 'service:unrecorded',
      command: [expect.stringMatching(/sh$/), '-c', 'echo here; cat'],
    });
    expect((await own.link.readAll('orphan')).toString()).toBe('here\r\n');
    expect(await own.link.kill('orphan')).toMatchObject({ survivors: [], exit: expect.anything() });
  });

  it('removes a pending session that no holder has, and moves a corrupt manifest aside', async () => {
    await using own = await SupervisorRig.start();
    await own.link.create({ sessionId: 'model', command: ['sleep', '300'] });
    await own.killSupervisor();
    const sessions = join(own.stateDir, 'sessions');
    const manifest = JSON.parse(readFileSync(join(sessions, 'model', 'session.json'), 'utf8')) as Record<string, unknown>;
    own.plant('planned', { ...manifest, sessionId: 'planned', state: 'pending', mark: 'f'.repeat(32), leader: undefined });
    own.plant('broken', {});
    own.plant('model', { ...manifest, state: 'pending', leader: undefined, startedAt: undefined });
    writeFileSync(join(sessions, 'broken', 'session.json'), '{"version":1,');
    await own.startSupervisor();
    await waitFor(() => !existsSync(join(sessions, 'planned')), { what: 'pending removed' });
    await waitFor(async () => (await own.link.get('model')).state === 'running', { what: 'spawned before the crash: running' });
    expect((await own.link.list()).map((session) => session.sessionId)).toEqual(['model']);
    await expect(own.link.create({ sessionId: 'broken', command: ['true'] })).rejects.toMatchObject({ code: 'session.id-used' });
    expect(readdirSync(join(sessions, 'broken'))).toContain('session.json.corrupt');
    expect(own.treeOf('model')).toHaveLength(1);
  });
});
