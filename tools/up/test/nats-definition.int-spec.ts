/** The broker `up` starts: private, on a free port, the same after a crash, alone on its store. */
import { bootId, processIdentity } from '@holdfast/platform-session-store';
import {
  createTempDirectory,
  isRunning,
  launch,
  stopProcess,
  waitFor,
  watchForLeaks,
  type LaunchedProcess,
  type LeakWatch,
  type TempDirectory,
} from '@holdfast/testing';
import { connect } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ManagedService } from '../src/managed-service.js';
import { ownNats, type OwnNats } from '../src/nats-definition.js';
import { findProgram } from '../src/programs.js';
import { ServiceLog } from '../src/service-log.js';

const DIST = join(import.meta.dirname, '..', 'dist');
const PROGRAM = findProgram('nats-server', process.env['PATH']);

describe('ownNats', () => {
  let leaks: LeakWatch;
  let temp: TempDirectory;
  let directory: string;
  let reports: string[];
  beforeAll(() => {
    leaks = watchForLeaks();
  });
  afterAll(() => leaks.expectNone());
  beforeEach(async () => {
    temp = await createTempDirectory();
    directory = join(temp.path, 'nats');
    reports = [];
  });
  afterEach(async () => {
    await temp[Symbol.asyncDispose]();
  });

  const own = (): OwnNats => ownNats({ program: PROGRAM, directory, instance: 'blue', report: (line) => reports.push(line) });

  function manage(nats: OwnNats, pids: number[]): ManagedService {
    return new ManagedService(nats.definition, {
      log: new ServiceLog(join(temp.path, 'nats.log'), 'nats'),
      report: (line) => reports.push(line),
      onReady: ({ pid }) => pids.push(pid),
    });
  }

  /** As an `up` that is no more has left it. */
  async function leaveBehind(): Promise<LaunchedProcess> {
    const { definition } = own();
    const { program, arguments: given, environment } = definition.command();
    const broker = await launch(program, { arguments: given, environment });
    await definition.ready(broker.child, new AbortController().signal);
    return broker;
  }

  it('keeps its address and password over a crash, and the password off its command line', async () => {
    const nats = own();
    const pids: number[] = [];
    const service = manage(nats, pids);
    await service.start();
    const { port, username, password } = new URL(nats.url());
    const login = { servers: `127.0.0.1:${port}`, user: username, pass: password };
    await (await connect(login)).close();
    await expect(connect({ servers: login.servers, reconnect: false })).rejects.toThrow(/authorization/i);
    process.kill(pids[0] ?? 0, 'SIGKILL');
    await waitFor(() => pids.length === 2, { what: 'the broker is back' });
    await (await connect(login)).close();
    expect(readFileSync(`/proc/${pids[1]}/cmdline`, 'utf8')).not.toContain(password);
    expect(statSync(join(directory, 'nats.conf')).mode & 0o777).toBe(0o600);
    await service.stop();
    nats.forget();
  });

  // Symptom: two brokers on one store. Cause: the first hung while it stopped, after its `up` had crashed. Trigger: the next `up`.
  it('ends the broker of an earlier start, one that hears no signal too, before there is another', async () => {
    await using hung = await leaveBehind();
    stopProcess(hung.pid);
    await own().endPredecessor();
    expect([isRunning(hung.pid), reports]).toEqual([false, [`ending the NATS server of an earlier start (pid ${hung.pid})`]]);
  });

  it('has that done by `up` before it starts a broker', async () => {
    await using hung = await leaveBehind();
    stopProcess(hung.pid);
    const bin = join(temp.path, 'bin');
    mkdirSync(bin);
    mkdirSync(join(temp.path, 'sessions'));
    writeFileSync(join(bin, 'nats-server'), `#!/bin/sh\nkill -0 ${hung.pid} && echo two at once\nexit 5\n`, { mode: 0o755 });
    const environment = { ...process.env, PATH: `${bin}:${process.env['PATH']}`, HOLDFAST_STATE_DIR: temp.path, HOLDFAST_NATS_URL: '' };
    await using up = await launch(process.execPath, { arguments: [join(DIST, 'main.js'), '--port', '0'], environment });
    expect([await up.exit, up.stderr().includes('two at once')]).toEqual([{ code: 5, signal: null }, false]);
  });

  it('lets a process live that has the pid of an earlier broker by now, and takes no harm from a torn record', async () => {
    await using stranger = await launch('sleep', { arguments: ['1000'] });
    const startTime = (processIdentity(stranger.pid)?.startTime ?? 0) - 1;
    mkdirSync(directory);
    for (const record of [JSON.stringify({ bootId: bootId(), pid: stranger.pid, startTime }), '{"bootId":', '']) {
      writeFileSync(join(directory, 'nats.pid.json'), record);
      await own().endPredecessor();
    }
    expect([isRunning(stranger.pid), reports]).toEqual([true, []]);
  });

  it('ends with a killed `up`, even when it hears no signal', async () => {
    const script = `
      const [dist, program, directory] = process.argv.slice(1);
      const [{ ManagedService }, { ownNats }] = await Promise.all(['managed-service', 'nats-definition'].map((name) => import(dist + '/' + name + '.js')));
      const nats = ownNats({ program, directory, instance: 'blue', report: console.error });
      const onReady = ({ pid }) => console.log('pid ' + pid + '.');
      await new ManagedService(nats.definition, { log: { write() {}, tail: () => [] }, report: console.error, onReady }).start();`;
    await using up = await launch(process.execPath, { arguments: ['--input-type=module', '-e', script, DIST, PROGRAM, directory] });
    const pid = Number((await up.prints(/pid (\d+)\./))[1]);
    stopProcess(pid);
    up.kill('SIGKILL');
    try {
      await waitFor(() => !isRunning(pid), { what: 'the broker ends' });
    } finally {
      if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    }
  });
});
