/** Kills of real process trees that try to get away; survivors are looked for by a scan of its own. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor, watchForLeaks, type LeakWatch } from '@holdfast/testing';
import { SupervisorRig } from './supervisor-rig.js';

/** Each writes `ready` once its tree stands; `size` is how many processes that is at least. */
const TREES = [
  { name: 'a session of its own', size: 2, graceMs: 300, script: 'setsid sleep 300 & sleep 0.2; echo ready; wait' },
  { name: 'a double fork', size: 2, graceMs: 300, script: '(setsid sh -c "sleep 300 & exec sleep 300" &) ; sleep 0.2; echo ready; cat' },
  {
    name: 'processes that ignore HUP and TERM',
    size: 3,
    graceMs: 300,
    script:
      'nohup sleep 300 >/dev/null 2>&1 & sh -c "trap : HUP TERM; echo ready; while :; do sleep 1; done" & trap : TERM HUP; while :; do wait; done',
  },
  {
    name: 'an environment wiped clean',
    size: 1,
    graceMs: 300,
    script: 'env -i /bin/sh -c "setsid sleep 300 & sleep 301" & sleep 0.2; echo ready; cat',
  },
  {
    name: 'one that forks for ever',
    size: 1,
    graceMs: 300,
    script: 'trap : TERM HUP; echo ready; while :; do (trap : TERM HUP; sleep 5) & sleep 0.05; done',
  },
  { name: 'a stopped process', size: 2, graceMs: 5_000, script: 'sleep 300 & kill -STOP $!; echo ready; wait' },
  { name: 'an interactive shell', size: 1, graceMs: 10_000, script: 'PS1=ready bash --norc -i' },
] as const;

describe('killing a session', () => {
  let leaks: LeakWatch;
  let rig: SupervisorRig;
  beforeAll(async () => {
    leaks = watchForLeaks();
    rig = await SupervisorRig.start({ environment: { HOLDFAST_LEFTOVER_GRACE_MS: '200' } });
  });
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
    await leaks.expectNone();
  });

  it.each(TREES)('leaves no survivor of $name', async ({ name, size, graceMs, script }) => {
    const sessionId = name.replaceAll(/[^a-z]+/gi, '-').toLowerCase();
    const { session } = await rig.link.create({ sessionId, command: ['sh', '-c', script] });
    const feed = await rig.link.follow(sessionId, 0);
    await waitFor(() => feed.bytes.includes('ready') && rig.treeOf(sessionId).length >= size, { what: 'tree' });
    const wiped = rig.descendantsOf(session.pid as number);
    const report = await rig.link.kill(sessionId, { graceMs });
    expect(report.survivors).toEqual([]);
    expect(report.exit).not.toBeNull();
    expect([...rig.treeOf(sessionId), ...wiped.filter((pid) => rig.isRunning(pid))]).toEqual([]);
    expect(report.signalled.map((process) => process.pid)).toContain(session.pid);
    expect(rig.holderPids().length).toBeGreaterThan(0);
  });

  it('lists what outlives the leader and kills it after its grace, but not when it may stay', async () => {
    const script = 'setsid sleep 300 & sleep 0.1; exit 5';
    await rig.link.create({ sessionId: 'leaves', command: ['sh', '-c', script] });
    await rig.link.create({ sessionId: 'keeps', command: ['sh', '-c', script], keepBackground: true });
    for (const sessionId of ['leaves', 'keeps']) {
      await waitFor(async () => (await rig.link.get(sessionId)).state === 'exited', { what: 'exited' });
      expect(await rig.link.get(sessionId)).toMatchObject({
        exit: { code: 5 },
        leftovers: [{ pid: expect.any(Number), command: 'sleep' }],
      });
    }
    await waitFor(() => rig.treeOf('leaves').length === 0, { what: 'leftovers killed' });
    expect(rig.treeOf('keeps')).toHaveLength(1);
    const report = await rig.link.kill('keeps');
    expect(report).toMatchObject({ signalled: [{ command: 'sleep', signals: ['SIGTERM'] }], survivors: [], exit: { code: 5 } });
    expect(rig.treeOf('keeps')).toEqual([]);
  });

  it('serves two kills at once with one report', async () => {
    await rig.link.create({ sessionId: 'twice', command: ['sleep', '300'] });
    const [first, second] = await Promise.all([rig.link.kill('twice'), rig.link.kill('twice')]);
    expect(second).toEqual(first);
    expect(first).toMatchObject({ signalled: [{ command: 'sleep' }], exit: { signal: 'SIGTERM' } });
  });
});
