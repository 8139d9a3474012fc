/** The gateway as a process: how it starts, says so, fails and ends. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTempDirectory, launch, waitFor, watchForLeaks, type LaunchedProcess, type TempDirectory } from '@holdfast/testing';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const leaks = watchForLeaks();
let directory: TempDirectory;
beforeAll(async () => void (directory = await createTempDirectory()));
afterAll(async () => {
  await directory[Symbol.asyncDispose]();
  await leaks.expectNone();
});

function environmentWith(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOLDFAST_STATE_DIR: directory.path,
    HOLDFAST_RUNTIME_DIR: directory.path,
    HOLDFAST_GATEWAY_PORT: '0',
    HOLDFAST_OPERATOR_TOKEN: 'secret-of-this-test',
    ...more,
  };
}

function start(environment: NodeJS.ProcessEnv = {}): Promise<LaunchedProcess> {
  return launch(process.execPath, { arguments: [MAIN], ipc: true, environment: environmentWith(environment) });
}

const fatal = ({ stderr }: LaunchedProcess): unknown => JSON.parse(stderr().trim());
const ready = async (gateway: LaunchedProcess): Promise<string> =>
  ((await waitFor(() => gateway.messages[0], { what: `the gateway is ready: ${gateway.stderr()}` })) as { url: string }).url;

describe('the gateway', () => {
  it('says where it serves, without a supervisor or a broker, and ends on SIGTERM', async () => {
    await using gateway = await start({ HOLDFAST_NATS_URL: 'nats://127.0.0.1:1' });
    const url = await ready(gateway);
    const { status } = await fetch(`${url}/readyz`);
    const { nats } = (await (await fetch(`${url}/v1/health`, { headers: { authorization: 'Bearer secret-of-this-test' } })).json()) as {
      nats: unknown;
    };
    gateway.kill('SIGTERM');
    expect([gateway.messages, status, nats, await gateway.exit, gateway.stdout().includes('secret-of-this-test')]).toEqual([
      [{ ready: true, url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/) }],
      200,
      { status: 'unreachable' },
      { code: 0, signal: null },
      false,
    ]);
  });

  /** Not launched like the others: Node never reports the end of the output of a child whose channel the parent closed. */
  it('ends when who started it is gone', async () => {
    const child = fork(MAIN, { env: environmentWith({}), stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const exit = once(child, 'exit');
    await once(child, 'message');
    child.disconnect();
    expect(await exit).toEqual([0, null]);
  });

  it.each([
    ['a bad variable', { HOLDFAST_GATEWAY_PORT: 'x' }],
    ['no token', { HOLDFAST_OPERATOR_TOKEN: '' }],
    ['a short token on an address others reach', { HOLDFAST_GATEWAY_HOST: '0.0.0.0' }],
    ['an address that is not here', { HOLDFAST_GATEWAY_HOST: '192.0.2.1', HOLDFAST_OPERATOR_TOKEN: 'x'.repeat(24) }],
  ])('says %s in one line and exits with 5', async (_what, environment) => {
    await using gateway = await start(environment);
    const exit = await gateway.exit;
    expect([exit.code, fatal(gateway)]).toMatchObject([5, { level: 'fatal', code: 'config.invalid', message: expect.any(String) }]);
  });

  it('says that its port is taken in one line and exits with 4', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await using gateway = await start({ HOLDFAST_GATEWAY_PORT: String(port) });
    const exit = await gateway.exit;
    other.close();
    expect([exit.code, fatal(gateway)]).toEqual([
      4,
      expect.objectContaining({ level: 'fatal', code: 'instance.in-use', message: expect.stringContaining(`127.0.0.1:${port}`) }),
    ]);
  });
});
