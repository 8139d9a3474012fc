/** How the service starts and stops as a process. */
import { afterAll, describe, expect, it } from '@jest/globals';
import { createTempDirectory, launch, waitFor, watchForLeaks } from '@holdfast/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '..', 'dist', 'main.js');
const leaks = watchForLeaks();
afterAll(() => leaks.expectNone());

const start = (environment: NodeJS.ProcessEnv) =>
  launch(process.execPath, { arguments: [MAIN], environment: { PATH: process.env['PATH'], ...environment }, ipc: true });
const lines = (text: string): { level: string; code?: string; message?: string }[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { level: string; code?: string; message?: string });

describe('a start', () => {
  it.each([
    [{ HOLDFAST_DATABASE_URL: 'mysql://db' }, 'HOLDFAST_DATABASE_URL'],
    [{}, 'HOLDFAST_NATS_URL'],
  ])('with a bad configuration ends with 5 and one line that names the variable: %j', async (environment, name) => {
    await using directory = await createTempDirectory();
    await using service = await start({ HOLDFAST_STATE_DIR: directory.path, ...environment });
    const exit = await service.exit;
    expect([exit.code, lines(service.stderr())]).toEqual([
      5,
      [expect.objectContaining({ level: 'fatal', code: 'config.invalid', message: expect.stringContaining(name) })],
    ]);
  });

  it('with a database that cannot be made ends with 1 and storage.failed', async () => {
    await using directory = await createTempDirectory();
    await using service = await start({
      HOLDFAST_STATE_DIR: directory.path,
      HOLDFAST_NATS_URL: 'nats://127.0.0.1:1',
      HOLDFAST_DATABASE_URL: 'file:/dev/null/tasks.db',
    });
    const exit = await service.exit;
    expect([exit.code, lines(service.stderr()).map(({ level, code }) => [level, code])]).toEqual([1, [['fatal', 'storage.failed']]]);
  });
});

const away = { HOLDFAST_NATS_URL: 'nats://127.0.0.1:1' };

describe('an end', () => {
  it('by SIGTERM is clean, broker or not', async () => {
    await using directory = await createTempDirectory();
    await using service = await start({ HOLDFAST_STATE_DIR: directory.path, ...away });
    await waitFor(() => service.messages.length > 0, { what: 'the service serves', withinMs: 30_000 });
    service.kill('SIGTERM');
    expect([service.messages, await service.exit]).toEqual([[{ ready: true }], { code: 0, signal: null }]);
  });

  it('comes with the end of the parent', async () => {
    await using directory = await createTempDirectory();
    const environment = { PATH: process.env['PATH'], HOLDFAST_STATE_DIR: directory.path, ...away };
    const child = spawn(process.execPath, [MAIN], { env: environment, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const ended = once(child, 'exit');
    await once(child, 'message');
    child.disconnect();
    expect(await ended).toEqual([0, null]);
  });
});
