/** What `up` writes itself, on a disk that is full for a while: it goes on, and the files are right once there is room. */
import { createTempDirectory, launch, waitFor, watchForLeaks, type LeakWatch, type TempDirectory } from '@holdfast/testing';
import { connect } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync, closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ManagedService } from '../src/managed-service.js';
import { ownNats } from '../src/nats-definition.js';
import { findProgram } from '../src/programs.js';
import { RetriedFile } from '../src/retried-file.js';
import { readyOverIpc } from '../src/service-definitions.js';
import { ServiceLog } from '../src/service-log.js';
import { UpStateFile } from '../src/up-state-file.js';

const MAIN = join(import.meta.dirname, '..', 'dist', 'main.js');

describe('a full disk', () => {
  let leaks: LeakWatch;
  let directory: TempDirectory;
  let disk: string;
  beforeAll(() => {
    leaks = watchForLeaks();
  });
  afterAll(() => leaks.expectNone());
  beforeEach(async () => {
    directory = await createTempDirectory();
    disk = join(directory.path, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]);
  });
  afterEach(async () => {
    execFileSync('umount', ['--lazy', disk]);
    await directory[Symbol.asyncDispose]();
  });

  /** Takes the last byte. */
  function fill(): void {
    const fd = openSync(join(disk, 'ballast'), 'a');
    try {
      for (;;) writeSync(fd, Buffer.alloc(4096, 1));
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    } finally {
      closeSync(fd);
    }
  }
  const makeRoom = (): void => rmSync(join(disk, 'ballast'), { force: true });

  // Symptom: `up` and with it the instance ended with ENOSPC. Cause: the log's write threw in an event handler. Trigger: a service printed a line.
  it('loses lines of a log and says how many, once', () => {
    const path = join(disk, 'example.log');
    const echoed: string[] = [];
    const log = new ServiceLog(path, 'example', (line) => echoed.push(line));
    log.write('{"at":1}');
    fill();
    const long = `{"long":"${'x'.repeat(8192)}"}`;
    for (let index = 0; index < 3; index += 1) log.write(long);
    makeRoom();
    for (const line of ['{"at":2}', '{"at":3}']) log.write(line);
    log.close();
    const loss = '{"service":"example","message":"3 lines before this one could not be written and are lost"}';
    expect([readFileSync(path, 'utf8'), log.tail(), echoed.length]).toEqual([
      `{"at":1}\n${loss}\n{"at":2}\n{"at":3}\n`,
      ['{"at":1}', long, long, long, '{"at":2}', '{"at":3}'],
      6,
    ]);
  });

  it('opens a log that could not be opened as soon as it can', () => {
    writeFileSync(join(disk, 'logs'), 'not a directory');
    const log = new ServiceLog(join(disk, 'logs', 'example.log'), 'example');
    log.write('{"at":1}');
    rmSync(join(disk, 'logs'));
    log.write('{"at":2}');
    log.close();
    const loss = '{"service":"example","message":"1 line before this one could not be written and is lost"}';
    expect(readFileSync(join(disk, 'logs', 'example.log'), 'utf8')).toBe(`${loss}\n{"at":2}\n`);
  });

  // Symptom: a restarted service was never taken for ready, and up.json kept its old pid. Cause: the write threw in the ready handler.
  it('writes up.json as soon as it can', async () => {
    const path = join(disk, 'up.json');
    const reports: string[] = [];
    const file = new UpStateFile(new RetriedFile(path, (line) => reports.push(line)), { natsUrl: () => 'nats://n', subjectRoot: 'hf' });
    const pids = (): number[] => (JSON.parse(readFileSync(path, 'utf8')) as { services: { pid: number }[] }).services.map(({ pid }) => pid);
    file.set({ name: 'reaper', pid: 1 });
    file.publish();
    fill();
    for (const pid of [2, 3]) file.set({ name: 'reaper', pid });
    const whileFull = pids();
    makeRoom();
    await waitFor(() => pids()[0] === 3, { what: 'the new pid' });
    file.remove();
    expect([whileFull, reports]).toEqual([
      [1],
      [expect.stringMatching(/^cannot write .*up\.json: ENOSPC.*; trying again until it can$/), `${path} is written again`],
    ]);
  });

  it('ends neither a service that prints nor the start of one that cannot write', async () => {
    const reports: string[] = [];
    const script = `const fs = require('node:fs'); console.log('x'.repeat(8192));
      fs.writeFileSync(process.env.DISK + '/state', 'x'.repeat(8192)); process.send({ ready: true }); setInterval(() => {}, 1000);`;
    const service = new ManagedService(
      {
        name: 'example',
        command: () => ({
          program: process.execPath,
          arguments: ['-e', script],
          environment: { ...process.env, DISK: disk },
          ipc: true,
          deathSignal: 'SIGTERM',
        }),
        ready: readyOverIpc,
      },
      { log: new ServiceLog(join(disk, 'example.log'), 'example'), report: (line) => reports.push(line), onReady: () => undefined },
    );
    fill();
    const started = service.start();
    try {
      await waitFor(() => reports.length === 2, { what: 'two failed starts' });
      makeRoom();
      await started;
    } finally {
      await service.stop();
    }
    expect(reports.slice(0, 2)).toEqual([
      'example exited with code 1; starting it again in 250 ms',
      'example exited with code 1; starting it again in 500 ms',
    ]);
  });

  it('lets a broker start again that has started here before', async () => {
    const failures: string[] = [];
    for (const isFull of [false, true]) {
      if (isFull) fill();
      const program = findProgram('nats-server', process.env['PATH']);
      const nats = ownNats({ program, directory: join(disk, 'nats'), instance: 'blue', report: () => undefined });
      const log = new ServiceLog(join(disk, 'nats.log'), 'nats');
      const service = new ManagedService(nats.definition, { log, report: (line) => failures.push(line), onReady: () => undefined });
      await service.start();
      const { port, username, password } = new URL(nats.url());
      await (await connect({ servers: `127.0.0.1:${port}`, user: username, pass: password })).close();
      await service.stop();
      nats.forget();
    }
    expect(failures).toEqual([]);
  });

  it('starts a broker that is new here as soon as its configuration can be written', async () => {
    const reports: string[] = [];
    const program = findProgram('nats-server', process.env['PATH']);
    const nats = ownNats({ program, directory: join(disk, 'nats'), instance: 'blue', report: () => undefined });
    const log = new ServiceLog(join(disk, 'nats.log'), 'nats');
    const service = new ManagedService(nats.definition, { log, report: (line) => reports.push(line), onReady: () => undefined });
    fill();
    const started = service.start();
    try {
      await waitFor(() => reports.length > 0, { what: 'a failed start' });
      makeRoom();
      await started;
    } finally {
      await service.stop();
      nats.forget();
    }
    expect(reports[0]).toMatch(/^nats could not be started \(cannot write .*nats\.conf: ENOSPC.*\); starting it again in 250 ms$/);
  });

  it('takes no line of ours on standard error, and ends us as if it had', async () => {
    const command = `exec "$0" "$1" --port x 2> /dev/full`;
    await using up = await launch('sh', { arguments: ['-c', command, process.execPath, MAIN] });
    expect(await up.exit).toEqual({ code: 2, signal: null });
  });
});
