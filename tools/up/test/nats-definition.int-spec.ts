/** The broker `up` starts: private, on a free port, the same after a crash. */
import { createTempDirectory, waitFor } from '@holdfast/testing';
import { connect } from '@nats-io/transport-node';
import { describe, expect, it } from '@jest/globals';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ManagedService } from '../src/managed-service.js';
import { ownNats } from '../src/nats-definition.js';
import { findProgram } from '../src/programs.js';
import { ServiceLog } from '../src/service-log.js';

describe('ownNats', () => {
  it('keeps its address and password over a crash, and the password off its command line', async () => {
    await using directory = await createTempDirectory();
    const nats = ownNats(findProgram('nats-server', process.env['PATH']), join(directory.path, 'nats'), 'blue');
    const pids: number[] = [];
    const service = new ManagedService(nats.definition, {
      log: new ServiceLog(join(directory.path, 'nats.log'), 'nats'),
      report: () => undefined,
      onReady: ({ pid }) => pids.push(pid),
    });
    await service.start();
    const { port, username, password } = new URL(nats.url());
    const login = { servers: `127.0.0.1:${port}`, user: username, pass: password };
    await (await connect(login)).close();
    await expect(connect({ servers: login.servers, reconnect: false })).rejects.toThrow(/authorization/i);
    process.kill(pids[0] ?? 0, 'SIGKILL');
    await waitFor(() => pids.length === 2, { what: 'the broker is back' });
    await (await connect(login)).close();
    expect(readFileSync(`/proc/${pids[1]}/cmdline`, 'utf8')).not.toContain(password);
    expect(statSync(join(directory.path, 'nats', 'nats.conf')).mode & 0o777).toBe(0o600);
    await service.stop();
  });
});
