/** Ctrl-C on `up`, and the next start: sessions live on in their holders. */
import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startRig } from '../src/index.js';

describe.each([
  { what: 'stopped and started', removeRuntimeDir: false },
  { what: 'stopped, robbed of its runtime directory and started', removeRuntimeDir: true },
])('an instance that is $what', ({ removeRuntimeDir }) => {
  it('has its sessions with their output, and they take input', async () => {
    await using rig = await startRig();
    const living = await rig.createSession({ command: ['sh', '-c', 'echo first; read line; echo "got $line"; exec sleep 600'] });
    const ended = await rig.createSession({ command: ['sh', '-c', 'echo done; exit 3'] });
    await (await rig.open(living.sessionId, { from: 0, epoch: 1 })).sees('first');
    await rig.ended(ended.sessionId);
    const { process } = rig.up;
    expect(await rig.stop()).toEqual({ code: 0, signal: null });
    expect(process.stderr()).toContain('1 session lives on');
    expect(process.stdout().split('\n')).toEqual([expect.stringMatching(/^holdfast ready /), '']);
    expect(existsSync(join(rig.stateDir, 'up.json'))).toBe(false);
    if (removeRuntimeDir) rig.removeRuntimeDir();

    await rig.start();
    expect(await rig.holdfast.getSession(living.sessionId)).toMatchObject({ state: 'running', pid: living.pid, epoch: 1 });
    expect(await rig.holdfast.getSession(ended.sessionId)).toMatchObject({ state: 'exited', exit: { code: 3 } });
    expect((await rig.outputOf(ended.sessionId)).toString()).toBe('done\r\n');
    const viewer = await rig.open(living.sessionId, { from: 0, epoch: 1, mode: 'write' });
    await viewer.sendText('hello\r');
    await viewer.sees('got hello');
    expect(viewer.text.startsWith('first\r\n')).toBe(true);
  });
});

describe('an instance whose up is killed', () => {
  it('takes its services down with it and starts again at once', async () => {
    await using rig = await startRig();
    const { sessionId, pid } = await rig.createSession({ command: ['sleep', '600'] });
    await rig.stop('SIGKILL');
    await rig.start();
    expect(await rig.holdfast.getSession(sessionId)).toMatchObject({ state: 'running', pid });
  });
});
