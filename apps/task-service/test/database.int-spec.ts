/** The real SQLite store: migrations, a full disk, damage, retention, and units of work that fail. */
import { afterAll, describe, expect, it } from '@jest/globals';
import { ServiceError } from '@holdfast/kernel';
import { createTempDirectory, launch, watchForLeaks } from '@holdfast/testing';
import Database from 'better-sqlite3';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../src/host/clock.js';
import { migrate } from '../src/store/migrations.js';
import { KEY_RETENTION_MS, SEEN_RETENTION_MS, TASK_RETENTION_MS } from '../src/store/retention.js';
import { TaskDatabase } from '../src/store/task-database.js';
import { taskCore } from '../src/task-core.js';
import { shell } from './service-rig.js';

const leaks = watchForLeaks();
afterAll(() => leaks.expectNone());
const by = 'operator:ada';
const limits = { maxPending: 24, maxLaunchesPerWindow: 30, launchWindowMs: 10_000, maxPendingAgeMs: 60_000 };

async function openCore(path: string) {
  const database = await TaskDatabase.open(`file:${path}`);
  const core = taskCore({ store: database, clock: systemClock, root: 'holdfast.v1', limits, token: 'token' });
  const create = (title: string) => database.write((unit) => core.create.run(unit, { task: shell(title), by }));
  return { database, core, create };
}

describe('migrations', () => {
  it('are applied once by six processes that start at the same moment, in a file only its owner can read', async () => {
    await using directory = await createTempDirectory();
    const path = join(directory.path, 'state', 'tasks.db');
    const program = `import('${join(import.meta.dirname, '../dist/store/migrations.js')}').then(({ migrate }) => console.log(migrate('${path}').length))`;
    const processes = await Promise.all(Array.from({ length: 6 }, () => launch(process.execPath, { arguments: ['-e', program] })));
    const exits = await Promise.all(processes.map(({ exit }) => exit));
    const applied = processes.map(({ stdout }) => Number(stdout())).sort();
    for (const one of processes) await one[Symbol.asyncDispose]();
    expect([exits.map(({ code }) => code), applied, statSync(path).mode & 0o777]).toEqual([[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1], 0o600]);
  });

  it('make exactly what the schema says', async () => {
    await using diff = await launch(process.execPath, {
      arguments: ['tools/prisma-migrate.mjs', 'diff', 'apps/task-service'],
      cwd: join(import.meta.dirname, '..', '..', '..'),
    });
    expect([await diff.exit, diff.stdout()]).toEqual([{ code: 0, signal: null }, expect.stringContaining('empty migration')]);
  });

  it('refuse a database that a newer build migrated', async () => {
    await using directory = await createTempDirectory();
    const path = join(directory.path, 'tasks.db');
    migrate(path);
    const database = new Database(path);
    database
      .prepare("INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'y', '9999_future', '2026-01-01')")
      .run();
    database.close();
    expect(() => migrate(path)).toThrow(
      expect.objectContaining({ code: 'storage.failed', message: expect.stringContaining('9999_future') }),
    );
  });

  it('refuse what is no database', async () => {
    await using directory = await createTempDirectory();
    const path = join(directory.path, 'tasks.db');
    writeFileSync(path, 'no database '.repeat(1000));
    expect(() => migrate(path)).toThrow(
      expect.objectContaining({ code: 'storage.failed', message: expect.stringContaining('is damaged') }),
    );
  });
});

describe('a unit of work', () => {
  it('leaves nothing behind when it fails, and what failed stays what it was', async () => {
    await using directory = await createTempDirectory();
    const { database, core } = await openCore(join(directory.path, 'tasks.db'));
    const failure = new ServiceError('task.conflict', 'no');
    const failing = database.write(async (unit) => {
      await core.create.run(unit, { task: shell('gone'), by });
      throw failure;
    });
    await expect(failing).rejects.toBe(failure);
    const left = await database.read(async (unit) => [await unit.tasks.count(), await unit.outbox.countPending()]);
    await database.close();
    expect(left).toEqual([0, 0]);
  });

  it('on a full disk is storage.failed, and works again when there is room', async () => {
    await using directory = await createTempDirectory();
    const path = join(directory.path, 'tasks.db');
    const { database, create } = await openCore(path);
    const pages = (limit: number) => database.limitPages(limit);
    await pages(1);
    const fill = async () => {
      for (let at = 0; at < 200; at += 1) await create('x'.repeat(500));
    };
    await expect(fill()).rejects.toMatchObject({ code: 'storage.failed', message: expect.stringContaining('is full') });
    await pages(1_000_000);
    const { created } = await create('again');
    await database.close();
    expect(created).toBe(true);
  });

  it('takes turns with fifty others', async () => {
    await using directory = await createTempDirectory();
    const { database, create } = await openCore(join(directory.path, 'tasks.db'));
    const made = await Promise.all(Array.from({ length: 50 }, (_, at) => create(`task ${at}`)));
    const numbers = made.map(({ task }) => task.number);
    await database.close();
    expect([new Set(numbers).size, Math.max(...numbers)]).toEqual([50, 50]);
  });
});

describe('retention', () => {
  it('removes ended tasks, keys and seen events past their limits, and nothing that lives or is unpublished', async () => {
    await using directory = await createTempDirectory();
    const { database, core, create } = await openCore(join(directory.path, 'tasks.db'));
    const [old, live, unpublished] = [await create('old'), await create('live'), await create('unpublished')];
    const now = systemClock.bootMoment();
    await database.write(async (unit) => {
      for (const { task } of [old, unpublished]) await core.changes.act(unit, task, 'complete', { by });
      const rows = await unit.outbox.pending(100);
      const published = rows.filter(({ body }) => !body.includes(unpublished.task.taskId)).map(({ position }) => position);
      await unit.outbox.markPublished(published, systemClock.wallTime());
      await unit.ledger.takeIn({ source: '/ci', id: '1' }, now);
      await unit.ledger.putKey(by, 'k', { bodyHash: 'h', taskId: old.task.taskId, usedAt: now });
    });
    const left = () =>
      database.read(async (unit) => [
        (await unit.tasks.page({}, 10)).map(({ title }) => title),
        (await unit.outbox.history(old.task.taskId, 10)).length,
        (await unit.ledger.findKey(by, 'k')) !== undefined,
      ]);
    await database.prune({ ...now, ms: now.ms + KEY_RETENTION_MS - 1_000 });
    expect(await left()).toEqual([['unpublished', 'live', 'old'], 2, true]);
    await database.prune({ ...now, ms: now.ms + Math.max(TASK_RETENTION_MS, SEEN_RETENTION_MS) + 60_000 });
    expect(await left()).toEqual([['unpublished', 'live'], 0, false]);
    expect(await database.write((unit) => unit.ledger.takeIn({ source: '/ci', id: '1' }, now))).toBe(true);
    expect(live.task.status).toBe('open');
    await database.close();
  });
});
