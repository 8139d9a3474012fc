/** Where `up` keeps nothing, found out before anything is created. */
import { createTempDirectory, launch } from '@holdfast/testing';
import { describe, expect, it } from '@jest/globals';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { refuseKernelDirectory } from '../src/kernel-directories.js';

const MAIN = join(import.meta.dirname, '..', 'dist', 'main.js');

describe('refuseKernelDirectory', () => {
  it.each(['/proc', '/proc/nope', '/proc/self/cwd/x', '/sys/fs/x', '/dev', '/dev/null/x', '/dev/shmem'])('refuses %s', (path) => {
    expect(() => refuseKernelDirectory('HOLDFAST_STATE_DIR', path)).toThrow(`HOLDFAST_STATE_DIR ${path}: /${path.split('/')[1]} is`);
  });

  it.each(['/', '/process/x', '/devices', '/var/lib/holdfast/default', '/dev/shm/holdfast', '/nowhere/proc/x'])('takes %s', (path) => {
    expect(() => refuseKernelDirectory('HOLDFAST_STATE_DIR', path)).not.toThrow();
  });

  it('looks behind links', async () => {
    await using temp = await createTempDirectory();
    const link = join(temp.path, 'link');
    symlinkSync('/proc', link);
    expect(() => refuseKernelDirectory('HOLDFAST_STATE_DIR', join(link, 'a', 'b'))).toThrow(`/proc is the kernel's`);
  });
});

// Symptom: `up` used a whole processor for ever. Cause: Node's recursive mkdir loops below /proc. Trigger: --state-dir /proc/nope.
describe('up', () => {
  it.each([
    ['a state directory of the kernel’s', ['--state-dir', '/proc/nope'], {}, /config\.invalid: HOLDFAST_STATE_DIR \/proc\/nope: \/proc is/],
    ['a relative one that leads there', ['--state-dir', '../proc/nope'], {}, /config\.invalid: HOLDFAST_STATE_DIR \/proc\/nope: \/proc is/],
    [
      'a runtime directory of the kernel’s',
      [],
      { HOLDFAST_RUNTIME_DIR: '/proc/r' },
      /config\.invalid: HOLDFAST_RUNTIME_DIR \/proc\/r: \/proc is/,
    ],
    ['a relative state directory in the environment', [], { HOLDFAST_STATE_DIR: 'state' }, /HOLDFAST_STATE_DIR must be an absolute path/],
    ['a relative runtime directory', [], { HOLDFAST_RUNTIME_DIR: 'run' }, /HOLDFAST_RUNTIME_DIR must be an absolute path/],
  ])('refuses %s and creates nothing', async (_, options, variables, message) => {
    await using temp = await createTempDirectory();
    const state = join(temp.path, 'state');
    const environment = { ...process.env, INIT_CWD: '/tmp', HOLDFAST_STATE_DIR: state, ...variables };
    await using up = await launch(process.execPath, { arguments: [MAIN, ...options], environment, cwd: temp.path });
    expect([await up.exit, up.stderr(), existsSync(state)]).toEqual([{ code: 5, signal: null }, expect.stringMatching(message), false]);
  });
});
