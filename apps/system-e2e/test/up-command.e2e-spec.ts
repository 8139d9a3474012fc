/** `up` as its user meets it: the ready line, the files it leaves, what it refuses, and how it keeps services running. */
import { createTempDirectory, launch, waitFor } from '@holdfast/testing';
import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { UP_PROGRAM, processesOf, startRig } from '../src/index.js';

/** From the start of the launcher, everything built, on a machine that does other things too. */
const READY_WITHIN_MS = 10_000;

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('up', () => {
  it('is ready within ten seconds, and says so in one line', async () => {
    const startedAt = performance.now();
    await using rig = await startRig({ gateways: 2 });
    expect(performance.now() - startedAt).toBeLessThan(READY_WITHIN_MS);
    expect(rig.up.process.stdout()).toMatch(/^holdfast ready http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}\n$/);
  });

  it('leaves only private files, and says in up.json what runs', async () => {
    await using rig = await startRig({ gateways: 2 });
    const modes = ['', 'operator.token', 'up.json', 'nats/nats.conf'].map((name) => modeOf(join(rig.stateDir, name)));
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
    expect(readFileSync(join(rig.stateDir, 'operator.token'), 'utf8').trim()).toBe(rig.up.token);
    const { services, gateways, natsUrl, subjectRoot } = rig.upState();
    expect(services.map(({ name }) => name)).toEqual(['gateway-1', 'gateway-2', 'nats', 'reaper', 'session-supervisor', 'task-service']);
    expect({ gateways, subjectRoot }).toEqual({
      gateways: services.flatMap(({ name, url }) => (name.startsWith('gateway-') ? [url] : [])),
      subjectRoot: 'holdfast.v1',
    });
    expect(natsUrl).toMatch(/^nats:\/\/holdfast:\w+@127\.0\.0\.1:\d+$/);
  });

  it('keeps secrets off every command line', async () => {
    await using rig = await startRig();
    const secrets = [rig.up.token, new URL(rig.upState().natsUrl).password];
    const commandLines = processesOf(rig.stateDir).map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    expect(commandLines.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([]);
  });

  it('starts every killed service again at once, a gateway on its port, with up.json right', async () => {
    await using rig = await startRig();
    const [gateway] = rig.upState().gateways;
    for (const service of ['gateway-1', 'session-supervisor', 'task-service', 'reaper', 'nats']) await rig.kill(service);
    expect(rig.upState().gateways).toEqual([gateway]);
    const health = await waitFor(async () => ((await rig.holdfast.health()).status === 'ok' ? 'ok' : undefined), {
      what: 'all is well again',
    });
    expect(health).toBe('ok');
  });

  it('keeps the token over starts, and takes the one it is given', async () => {
    await using rig = await startRig();
    const first = rig.up.token;
    await rig.stop();
    await rig.start();
    expect(rig.up.token).toBe(first);
    await using other = await startRig({ environment: { HOLDFAST_OPERATOR_TOKEN: 'a-token-of-my-own' } });
    expect(other.up.token).toBe('a-token-of-my-own');
  });

  it('stops everything it started, and nothing else runs afterwards', async () => {
    await using rig = await startRig();
    const pids = rig.upState().services.map(({ pid }) => pid);
    expect(await rig.stop('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  });
});

describe('up that is told nonsense', () => {
  const run = async (argv: readonly string[], environment: NodeJS.ProcessEnv = {}) => {
    await using directory = await createTempDirectory();
    await using process_ = await launch(process.execPath, {
      arguments: [UP_PROGRAM, ...argv],
      environment: { PATH: process.env['PATH'], HOME: directory.path, TMPDIR: directory.path, ...environment },
    });
    const { code } = await process_.exit;
    return { code, stdout: process_.stdout(), stderr: process_.stderr(), left: readdirSync(directory.path) };
  };

  it.each([
    [['--port', 'x'], /--port must be[^]*Usage: npm run up/],
    [['--nonsense'], /--nonsense[^]*Usage: npm run up/],
    [['--demo'], /--demo is not available yet/],
  ])('exits 2 with its usage for %j', async (argv, stderr) => {
    expect(await run(argv)).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(stderr), left: [] });
  });

  it.each([
    ['HOLDFAST_GATEWAY_PORT', 'seven'],
    ['HOLDFAST_BACKEND', 'screen'],
    ['HOLDFAST_STATE_DIR', 'relative/path'],
    ['HOLDFAST_RUNTIME_DIR', `/tmp/${'x'.repeat(100)}`],
    ['HOLDFAST_JOURNAL_BYTES', '-1'],
  ])('exits 5 naming %s=%s before anything starts', async (name, value) => {
    expect(await run([], { [name]: value })).toEqual({ code: 5, stdout: '', stderr: expect.stringContaining(name), left: [] });
  });

  it('exits 5 for a port that somebody else has', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const { code, stderr } = await run(['--port', String(port)]);
    server.close();
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining(`port ${port}: another program listens there`) });
  }, 30_000);

  it('prints its usage for --help', async () => {
    expect(await run(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('--state-dir DIR'), left: [] });
  });
});
