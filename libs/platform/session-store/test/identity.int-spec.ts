/** Locks and identities against real processes. */
import { createTempDirectory, launch, waitFor } from '@holdfast/testing';
import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RuntimeLayout, acquireInstanceLock, livenessOf, processIdentity, readJson, writeFileAtomic } from '../src/index.js';

describe('process identity', () => {
  it('tells a living process from a dead one, a zombie and a reused pid', async () => {
    await using child = await launch('sleep', { arguments: ['1000'] });
    const identity = processIdentity(child.pid);
    if (!identity) throw new Error('no identity');
    const reused = livenessOf({ ...identity, startTime: identity.startTime + 1 });
    const otherBoot = livenessOf({ ...identity, bootId: 'x' });
    const alive = livenessOf(identity);
    process.kill(child.pid, 'SIGKILL');
    await waitFor(() => livenessOf(identity) === 'dead', { what: 'the process is dead' });
    expect([alive, reused, otherBoot]).toEqual(['alive', 'dead', 'dead']);
  });
});

describe('the instance lock', () => {
  it('is exclusive while its process lives and free when it was killed', async () => {
    await using temp = await createTempDirectory();
    const path = join(temp.path, 'lock');
    const holder = spawn('flock', ['-n', path, '-c', 'echo held; exec sleep 1000'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    expect(() => acquireInstanceLock(path)).toThrow(expect.objectContaining({ code: 'instance.in-use' }));
    process.kill(-(holder.pid as number), 'SIGKILL');
    const lock = await waitFor(() => acquireInstanceLock(path), { what: 'the lock is free' });
    expect(() => acquireInstanceLock(path)).toThrow(expect.objectContaining({ code: 'instance.in-use' }));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
    lock.release();
    acquireInstanceLock(path).release();
  });
});

describe('files and paths', () => {
  it('replaces a file whole, for its owner only', async () => {
    await using temp = await createTempDirectory();
    const path = join(temp.path, 'a.json');
    writeFileAtomic(path, '{"a":1}');
    writeFileAtomic(path, '{"a":2}');
    expect([readJson(path), statSync(path).mode & 0o777, readJson(join(temp.path, 'none'))]).toEqual([{ a: 2 }, 0o600, undefined]);
  });

  it('refuses a runtime directory whose socket paths the kernel would cut', () => {
    expect(() => new RuntimeLayout(`/tmp/${'x'.repeat(60)}`).assertFits()).toThrow(
      expect.objectContaining({ code: 'config.socket-path-too-long', detail: { bytes: 108, maxBytes: 107 } }),
    );
    expect(() => new RuntimeLayout(`/tmp/${'x'.repeat(59)}`).assertFits()).not.toThrow();
  });
});
