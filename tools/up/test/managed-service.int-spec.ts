/** Services that die, refuse, hang and stop, as real processes. */
import { ServiceError } from '@holdfast/kernel';
import { createTempDirectory, isRunning, waitFor, watchForLeaks, type LeakWatch, type TempDirectory } from '@holdfast/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ManagedService } from '../src/managed-service.js';
import { readyOverIpc } from '../src/service-definitions.js';
import { ServiceLog } from '../src/service-log.js';

const READY = `process.send({ ready: true }); setInterval(() => {}, 1000);`;

describe('ManagedService', () => {
  let leaks: LeakWatch;
  let directory: TempDirectory;
  let reports: string[];
  let starts: number[];
  let service: ManagedService | undefined;
  beforeAll(() => {
    leaks = watchForLeaks();
  });
  afterAll(() => leaks.expectNone());
  beforeEach(async () => {
    directory = await createTempDirectory();
    reports = [];
    starts = [];
  });
  afterEach(async () => {
    await service?.stop();
    service = undefined;
    await directory[Symbol.asyncDispose]();
  });

  function manage(script: string): ManagedService {
    service = new ManagedService(
      {
        name: 'example',
        command: () => ({
          program: process.execPath,
          arguments: ['-e', script],
          environment: { ...process.env, DIR: directory.path },
          ipc: true,
          deathSignal: 'SIGTERM',
        }),
        ready: readyOverIpc,
      },
      {
        log: new ServiceLog(join(directory.path, 'logs', 'example.log'), 'example'),
        report: (line) => reports.push(line),
        onReady: ({ pid }) => starts.push(pid),
      },
    );
    return service;
  }

  it('starts a killed service again at once, with its new pid told before it counts as ready', async () => {
    await manage(READY).start();
    const [first] = starts;
    process.kill(first ?? 0, 'SIGKILL');
    await waitFor(() => starts.length === 2, { what: 'a second start' });
    expect(reports).toEqual(['example was ended by SIGKILL; starting it again at once']);
    expect(starts[1]).not.toBe(first);
  });

  it('pauses longer and longer while it dies before it is ready', async () => {
    const script = `const fs = require('node:fs'); const f = process.env.DIR + '/n'; const n = fs.existsSync(f) ? Number(fs.readFileSync(f)) : 0;
      fs.writeFileSync(f, String(n + 1)); if (n < 2) process.exit(1); ${READY}`;
    await manage(script).start();
    expect(reports).toEqual([
      'example exited with code 1; starting it again in 250 ms',
      'example exited with code 1; starting it again in 500 ms',
    ]);
  });

  it('gives up with the service’s own words when its configuration is bad', async () => {
    const starting = manage(`console.error('HOLDFAST_X must be y'); process.exit(5);`).start();
    await expect(starting).rejects.toThrow(ServiceError);
    await expect(starting).rejects.toMatchObject({ code: 'config.invalid', message: expect.stringContaining('HOLDFAST_X must be y') });
  });

  it('kills a service that ignores SIGTERM', async () => {
    await manage(`process.on('SIGTERM', () => {}); ${READY}`).start();
    await service?.stop();
    expect(starts.map(isRunning)).toEqual([false]);
  });

  it('writes what the service prints as JSON lines', async () => {
    await manage(`console.log(JSON.stringify({ level: 'info' })); console.log('plain'); ${READY}`).start();
    const path = join(directory.path, 'logs', 'example.log');
    await waitFor(() => readFileSync(path, 'utf8').split('\n').length === 3, { what: 'both lines' });
    expect(readFileSync(path, 'utf8')).toBe('{"level":"info"}\n{"service":"example","message":"plain"}\n');
  });
});
