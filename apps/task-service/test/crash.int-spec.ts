/** Crashes, outages and second processes: exactly one session or none, every fact once and in order. */
import { afterAll, describe, expect, it } from '@jest/globals';
import { watchForLeaks, waitFor } from '@holdfast/testing';
import Database from 'better-sqlite3';
import { existsSync } from 'node:fs';
import { LAUNCH_STEPS, pauseMarker } from '../src/host/pause-points.js';
import { startFakeSupervisor } from './fake-supervisor.js';
import { ServiceRig, shell } from './service-rig.js';

const leaks = watchForLeaks();
const by = 'operator:ada';
afterAll(() => leaks.expectNone());

describe('a kill -9 during a launch', () => {
  it.each(LAUNCH_STEPS)('at the step "%s" ends in exactly one session', async (step) => {
    await using rig = await ServiceRig.start();
    await using supervisor = await startFakeSupervisor({ url: rig.nats.url });
    const first = await rig.startService({ HOLDFAST_TEST_HOOKS: '1', HOLDFAST_TEST_PAUSE_AT: step });
    const { task } = await rig.ask('create', { task: { ...shell('crashes'), launch: true }, by });
    await waitFor(() => existsSync(pauseMarker(rig.directory.path, step)), { what: `the service is at ${step}` });
    first.kill('SIGKILL');
    await first.exit;
    await rig.startService();
    const running = await rig.sees(task.taskId, 'in_progress');
    const ids = supervisor.sessions().map(({ sessionId }) => sessionId);
    expect([ids, new Set(supervisor.launches.map(({ spec }) => spec.sessionId)).size]).toEqual([[running.sessions[0]?.sessionId], 1]);
    expect(running.sessions.map(({ lastStatus }) => lastStatus)).toEqual(['running']);
  });

  it('ends in no session when the task is cancelled before the service is back', async () => {
    await using rig = await ServiceRig.start();
    await using supervisor = await startFakeSupervisor({ url: rig.nats.url });
    const first = await rig.startService({ HOLDFAST_TEST_HOOKS: '1', HOLDFAST_TEST_PAUSE_AT: 'commanded' });
    const { task } = await rig.ask('create', { task: { ...shell('cancelled'), launch: true }, by });
    await waitFor(() => supervisor.sessions().length === 1, { what: 'the session is there' });
    await rig.ask('cancel', { taskId: task.taskId, by }).catch(() => undefined);
    first.kill('SIGKILL');
    await first.exit;
    await rig.startService();
    await waitFor(() => supervisor.sessions().every(({ state }) => state === 'exited'), { what: 'the session is dead' });
    const ended = await waitFor(
      async () => {
        const now = await rig.get(task.taskId);
        return now.sessions[0]?.lastStatus === 'aborted' ? now : undefined;
      },
      { what: 'the record ended' },
    );
    expect([ended.status, supervisor.sessions().length]).toEqual(['cancelled', 1]);
  });
});

describe('a task that waits', () => {
  it('is launched on the least loaded host once one is heard', async () => {
    await using rig = await ServiceRig.start();
    await rig.startService();
    const { task } = await rig.ask('create', { task: { ...shell('early'), launch: true }, by });
    expect(task.status).toBe('pending');
    await using busy = await startFakeSupervisor({ url: rig.nats.url, hostId: 'busy', load: 40 });
    await rig.sees(task.taskId, 'in_progress');
    await using idle = await startFakeSupervisor({ url: rig.nats.url, hostId: 'idle' });
    await waitFor(
      async () => {
        const { task: next } = await rig.ask('create', { task: { ...shell('next'), launch: true }, by });
        return (await rig.sees(next.taskId, 'in_progress')).sessions[0]?.hostId === 'idle';
      },
      { what: 'a launch on the idle host' },
    );
    expect([busy.sessions().length > 0, idle.sessions().length]).toEqual([true, 1]);
  });

  it('is refused when 24 wait already', async () => {
    await using rig = await ServiceRig.start();
    await rig.startService();
    const waiting = await Promise.all(
      Array.from({ length: 24 }, (_, at) => rig.ask('create', { task: { ...shell(`waits ${at}`), launch: true }, by })),
    );
    expect(waiting.map(({ task }) => task.status)).toEqual(waiting.map(() => 'pending'));
    await expect(rig.ask('create', { task: { ...shell('too many', 'too-many'), launch: true }, by })).rejects.toMatchObject({
      code: 'task.queue-full',
      retry: 'safe',
    });
    await expect(rig.get('too-many')).rejects.toMatchObject({ code: 'task.not-found' });
  });
});

describe('a broker outage', () => {
  it('loses no fact, doubles none by id, and keeps each task in order', async () => {
    await using rig = await ServiceRig.start();
    const service = await rig.startService();
    await rig.ask('create', { task: shell('before', 'before'), by });
    await waitFor(() => rig.eventsOf('before').length === 1, { what: 'the first fact' });
    await rig.nats.stop();
    await waitFor(() => service.stderr().includes('broker.disconnected'), { what: 'the service noticed' });
    const database = new Database(rig.databasePath, { timeout: 5_000 });
    await waitFor(() => countOf(database, 'publishedAt IS NULL') === 0, { what: 'nothing is unpublished' });
    service.kill('SIGKILL');
    await service.exit;
    database.prepare('UPDATE OutboxEvent SET publishedAt = NULL').run();
    database.close();
    await rig.startService();
    await rig.nats.restart();
    for (const verb of ['complete', 'reopen', 'cancel'] as const) await rig.ask(verb, { taskId: 'before', by });
    await waitFor(() => rig.eventsOf('before').some(({ data }) => data['sequence'] === 4), { what: 'the last fact', withinMs: 20_000 });
    expect(rig.eventsOf('before').map(({ data }) => [data['sequence'], data['verb']])).toEqual([
      [1, 'created'],
      [2, 'completed'],
      [3, 'reopened'],
      [4, 'cancelled'],
    ]);
  });

  it('does not hide the end of a session: the supervisor is asked afterwards', async () => {
    await using rig = await ServiceRig.start();
    await using supervisor = await startFakeSupervisor({ url: rig.nats.url });
    const service = await rig.startService();
    const { task } = await rig.ask('create', { task: { ...shell('ends unheard'), launch: true }, by });
    const sessionId = (await rig.sees(task.taskId, 'in_progress')).sessions[0]?.sessionId ?? '';
    await rig.nats.stop();
    await waitFor(() => service.stderr().includes('broker.disconnected'), { what: 'the service noticed' });
    await supervisor.exit(sessionId, { code: 7 }, { silent: true });
    await rig.nats.restart();
    expect((await rig.sees(task.taskId, 'terminated', 30_000)).reason).toEqual({ exit: { code: 7 } });
  });

  it('does not keep the service from starting', async () => {
    await using rig = await ServiceRig.start();
    await rig.nats.stop();
    const service = await rig.startService();
    service.kill('SIGTERM');
    expect(await service.exit).toEqual({ code: 0, signal: null });
  });
});

describe('another process at the database', () => {
  it('is waited for', async () => {
    await using rig = await ServiceRig.start();
    await rig.startService();
    await rig.ask('create', { task: shell('first'), by });
    const other = new Database(rig.databasePath);
    other.exec('BEGIN IMMEDIATE');
    const created = rig.ask('create', { task: shell('waits', 'waits'), by });
    await rig.ask('health', {});
    await waitFor(() => other.prepare('SELECT 1 FROM Task WHERE taskId = ?').get('waits') === undefined, { what: 'it is not there yet' });
    other.exec('COMMIT');
    expect((await created).task.taskId).toBe('waits');
    other.close();
  });

  it('that never lets go is a typed error', async () => {
    await using rig = await ServiceRig.start();
    await rig.startService();
    await rig.ask('create', { task: shell('first'), by });
    const other = new Database(rig.databasePath);
    other.exec('BEGIN IMMEDIATE');
    await expect(rig.ask('create', { task: shell('never'), by })).rejects.toMatchObject({ code: 'storage.failed' });
    other.exec('ROLLBACK');
    other.close();
    expect((await rig.ask('create', { task: shell('after'), by })).created).toBe(true);
  });

  it('may be a second task service that starts at the same moment', async () => {
    await using rig = await ServiceRig.start();
    await Promise.all([rig.startService(), rig.startService()]);
    const database = new Database(rig.databasePath, { readonly: true });
    const migrations = database.prepare('SELECT count(*) AS n FROM _prisma_migrations WHERE finished_at IS NOT NULL').get();
    const mode = database.pragma('journal_mode', { simple: true });
    database.close();
    expect([migrations, mode, (await rig.ask('create', { task: shell('served'), by })).created]).toEqual([{ n: 1 }, 'wal', true]);
  });
});

function countOf(database: Database.Database, where: string): number {
  return database.prepare<[], { n: number }>(`SELECT count(*) AS n FROM OutboxEvent WHERE ${where}`).get()?.n ?? -1;
}
