/** Holders started by the real starter, as in a container beside the supervisor's; and what old builds leave behind. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { childPidsOf, launch, waitFor, watchForLeaks, type LaunchedProcess, type LeakWatch } from '@holdfast/testing';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SupervisorRig } from './supervisor-rig.js';

const STARTER = new URL('../../holder/dist/starter.cjs', import.meta.url).pathname;

/** Ready once its socket is there. */
async function startStarter(rig: SupervisorRig): Promise<LaunchedProcess> {
  const starter = await launch(process.execPath, {
    arguments: [STARTER],
    environment: {
      ...process.env,
      HOLDFAST_STATE_DIR: rig.stateDir,
      HOLDFAST_RUNTIME_DIR: rig.runtimeDir,
      TMPDIR: dirname(rig.stateDir),
    },
  });
  await waitFor(() => existsSync(join(rig.runtimeDir, 'starter.sock')), { what: 'starter listens' });
  return starter;
}

describe('a supervisor with a starter', () => {
  let leaks: LeakWatch;
  beforeAll(() => {
    leaks = watchForLeaks();
  });
  afterAll(() => leaks.expectNone());

  it('serves without it, has holders started by it, and keeps them when either is killed', async () => {
    await using rig = await SupervisorRig.start({ environment: { HOLDFAST_HOLDER_LAUNCHER: 'starter' } });
    await expect(rig.link.create({ sessionId: 'early', command: ['cat'] })).rejects.toMatchObject({ code: 'holder.start-failed' });
    await using starter = await startStarter(rig);
    const { session } = await rig.link.create({ sessionId: 'held', command: ['sh', '-c', 'echo here; cat'] });
    const { identity } = rig.manifest('held').holder;
    expect(childPidsOf(starter.pid)).toContain(identity.pid);
    expect(childPidsOf(rig.supervisor.pid)).not.toContain(identity.pid);
    starter.kill('SIGKILL');
    await starter.exit;
    await rig.restart();
    await waitFor(async () => (await rig.link.get('held')).state === 'running', { what: 'attached' });
    expect((await rig.link.get('held')).pid).toBe(session.pid);
    expect(await rig.link.type('held', 'x')).toBe(1);
  });

  it('removes copies of builds that no holder runs from, and no other', async () => {
    await using rig = await SupervisorRig.start();
    await rig.link.create({ sessionId: 'held', command: ['cat'] });
    const builds = join(rig.stateDir, 'holder', 'builds');
    const used = readdirSync(builds);
    await rig.killSupervisor();
    for (const old of ['0123456789abcdef', '0123456789abcdef.tmp-x']) mkdirSync(join(builds, old, 'x'), { recursive: true });
    await rig.startSupervisor();
    expect(readdirSync(builds)).toEqual(used);
    await waitFor(async () => (await rig.link.get('held')).state === 'running', { what: 'attached' });
  });
});
