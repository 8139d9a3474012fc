/** Processes, brokers and directories of tests leave nothing behind. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { createTempDirectory, isRunning, launch, startNatsServer, waitFor, watchForLeaks, type LeakWatch } from '../src/index.js';
import { connect } from '@nats-io/transport-node';

describe('test processes', () => {
  let leaks: LeakWatch;
  beforeAll(() => {
    leaks = watchForLeaks();
  });
  afterAll(() => leaks.expectNone());

  it('removes a temporary directory with what is in it', async () => {
    let path = '';
    {
      await using directory = await createTempDirectory();
      path = directory.path;
      await using writer = await launch('sh', { arguments: ['-c', 'echo x > file; mkdir -p a/b'], cwd: path });
      await writer.exit;
      expect(existsSync(`${path}/a/b`)).toBe(true);
    }
    expect(existsSync(path)).toBe(false);
  });

  it('captures output to the end and the exit code', async () => {
    await using process = await launch('sh', { arguments: ['-c', 'seq 5; echo bad >&2; exit 3'] });
    expect(await process.exit).toEqual({ code: 3, signal: null });
    expect([process.stdout(), process.stderr()]).toEqual(['1\n2\n3\n4\n5\n', 'bad\n']);
  });

  it('says what was printed instead when a line never comes', async () => {
    await using process = await launch('sh', { arguments: ['-c', 'echo other; exit 0'] });
    await expect(process.prints(/expected/)).rejects.toThrow(/ended without printing[^]*other/);
  });

  it('kills a process that is stopped or ignores signals', async () => {
    let pid = 0;
    {
      await using process = await launch('sh', { arguments: ['-c', 'trap "" TERM; echo up; while :; do sleep 0.05; done'] });
      await process.prints(/up/);
      pid = process.pid;
      process.kill('SIGTERM');
      process.kill('SIGSTOP');
    }
    expect(isRunning(pid)).toBe(false);
  });

  it('starts a broker that refuses strangers and keeps its address over a restart', async () => {
    await using server = await startNatsServer();
    await expect(connect({ servers: `127.0.0.1:${server.port}`, reconnect: false })).rejects.toThrow(/authorization/i);
    const before = await connect({ ...server.login, reconnect: false });
    await server.restart();
    await waitFor(() => before.isClosed(), { what: 'the old connection is closed' });
    const connection = await connect(server.login);
    await connection.flush();
    await connection.close();
  });

  it('notices a listening socket and a child that stay behind', async () => {
    const watch = watchForLeaks();
    const server = createServer().listen(0, '127.0.0.1');
    await using child = await launch('sleep', { arguments: ['60'] });
    await expect(watch.expectNone(30)).rejects.toThrow(new RegExp(`child process ${child.pid}, 1 listening sockets`));
    server.close();
    child.kill('SIGKILL');
    await watch.expectNone();
  });
});
