/** One owner per state directory, whoever tries to be the second. */
import { describe, expect, it } from '@jest/globals';
import { launch } from '@holdfast/testing';
import { join } from 'node:path';
import { startRig } from '../src/index.js';
import { launchUp } from '../src/running-up.js';

const SUPERVISOR = join(import.meta.dirname, '..', '..', 'session-supervisor', 'dist', 'main.js');

describe('a state directory in use', () => {
  it('refuses a second up and a second supervisor by type, and the first goes on', async () => {
    await using rig = await startRig();
    const { sessionId } = await rig.createSession({ command: ['sleep', '600'] });
    await using up = await launchUp({ stateDir: rig.stateDir, runtimeDir: rig.runtimeDir });
    expect(await up.exit).toEqual({ code: 4, signal: null });
    expect({ stdout: up.stdout(), stderr: up.stderr() }).toEqual({ stdout: '', stderr: expect.stringContaining('instance.in-use') });

    await using supervisor = await launch(process.execPath, {
      arguments: [SUPERVISOR],
      environment: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        HOLDFAST_STATE_DIR: rig.stateDir,
        HOLDFAST_RUNTIME_DIR: rig.runtimeDir,
      },
    });
    expect(await supervisor.exit).toEqual({ code: 4, signal: null });
    expect(supervisor.stdout() + supervisor.stderr()).toContain('instance.in-use');
    expect(await rig.holdfast.getSession(sessionId)).toMatchObject({ state: 'running' });
  });
});
