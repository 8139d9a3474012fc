/** The reaper as a process: ready without a broker, gone with its parent or on a signal, plain about a bad configuration. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTempDirectory, isRunning, waitFor, watchForLeaks, type LeakWatch } from '@holdfast/testing';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const main = join(import.meta.dirname, '../dist/main.js');

function start(environment: NodeJS.ProcessEnv): { readonly child: ChildProcess; readonly said: () => string } {
  const child = fork(main, {
    env: { PATH: process.env['PATH'], ...environment },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, said: () => text };
}

describe('reaper process', () => {
  let leaks: LeakWatch;
  beforeAll(() => {
    leaks = watchForLeaks();
  });
  afterAll(() => leaks.expectNone());

  it.each(['SIGTERM', 'disconnect'] as const)('is ready while the broker is away, and ends on %s', async (how) => {
    await using directory = await createTempDirectory();
    const { child } = start({ HOLDFAST_NATS_URL: 'nats://127.0.0.1:1', HOLDFAST_STATE_DIR: directory.path });
    const [message] = (await once(child, 'message')) as [unknown];
    expect(message).toEqual({ ready: true });
    const exit = once(child, 'exit');
    if (how === 'disconnect') child.disconnect();
    else child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    await waitFor(() => !isRunning(child.pid ?? 0), { what: 'gone' });
  });

  it.each([
    ['HOLDFAST_REAP_INTERVAL_MS', { HOLDFAST_NATS_URL: 'nats://127.0.0.1:1', HOLDFAST_REAP_INTERVAL_MS: 'soon' }],
    ['HOLDFAST_NATS_URL', {}],
  ])('exits 5 with one fatal line that names %s', async (name, environment) => {
    const { child, said } = start(environment);
    const [code] = (await once(child, 'close')) as [number];
    const lines = said()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect([code, lines]).toEqual([
      5,
      [expect.objectContaining({ level: 'fatal', code: 'config.invalid', message: expect.stringContaining(name) })],
    ]);
  });
});
