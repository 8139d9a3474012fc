/** The SQLite database of the tasks: opened once, one unit of work at a time. */
import type { BootMoment } from '@holdfast/domain-task';
import { PrismaClient } from '../generated/prisma/client.js';
import type { TaskStore, TaskUnit } from '../tasks/task-store.port.js';
import { ledgerRepository, outboxRepository } from './event.repositories.js';
import { BUSY_TIMEOUT_MS, ImmediateAdapterFactory, LOCK_DEADLINE_MS } from './immediate-adapter.js';
import { migrate } from './migrations.js';
import { pruneRows } from './retention.js';
import { isStorageError, storageFailure } from './storage-error.js';
import { recordRepository, reservationRepository, taskRepository, type Rows } from './task.repositories.js';

/** A unit of work waits for nothing but the database: one that takes longer is a fault. */
const UNIT_DEADLINE_MS = 30_000;
const UNIT_OPTIONS = { maxWait: 2 * LOCK_DEADLINE_MS, timeout: UNIT_DEADLINE_MS };

/** What a unit of work that was committed has made. */
export interface Committed {
  readonly tasks: number;
  readonly events: number;
}

export class TaskDatabase implements TaskStore {
  /** Reads and writes share one connection, so they take turns: nothing sees a transaction of another. */
  private turn: Promise<unknown> = Promise.resolve();
  private readonly listeners: ((made: Committed) => void)[] = [];

  private constructor(
    private readonly client: PrismaClient,
    private readonly path: string,
  ) {}

  /** Migrates first. @param url `file:` and an absolute path. @throws ServiceError `storage.failed`. */
  static async open(url: string): Promise<TaskDatabase> {
    const path = url.replace(/^file:/, '');
    migrate(path);
    const client = new PrismaClient({ adapter: new ImmediateAdapterFactory({ url, timeout: BUSY_TIMEOUT_MS }) });
    const database = new TaskDatabase(client, path);
    await database.read((unit) => unit.tasks.countPending());
    return database;
  }

  async write<T>(work: (unit: TaskUnit) => Promise<T>): Promise<T> {
    const made = { tasks: 0, events: 0 };
    const result = await this.inTurn(() => this.client.$transaction((rows) => work(counting(unitOn(rows), made)), UNIT_OPTIONS));
    for (const listener of this.listeners) listener(made);
    return result;
  }

  /** Removes what is older than its limit. */
  async prune(now: BootMoment): Promise<void> {
    const tasks = await this.inTurn(() => this.client.$transaction((rows) => pruneRows(rows, now), UNIT_OPTIONS));
    for (const listener of this.listeners) listener({ tasks: -tasks, events: 0 });
  }

  /** The most pages the database may grow to; never less than it has. */
  async limitPages(pages: number): Promise<void> {
    await this.inTurn(() => this.client.$queryRawUnsafe(`PRAGMA max_page_count = ${Math.trunc(pages)}`));
  }

  /** Called after every commit of this process. */
  onCommit(listener: (made: Committed) => void): void {
    this.listeners.push(listener);
  }

  read<T>(work: (unit: TaskUnit) => Promise<T>): Promise<T> {
    return this.inTurn(() => work(unitOn(this.client)));
  }

  /** Waits for the unit in hand. */
  async close(): Promise<void> {
    await this.inTurn(() => this.client.$disconnect());
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.turn.then(work).catch((error: unknown) => {
      throw isStorageError(error) ? storageFailure(error, this.path) : error;
    });
    this.turn = result.catch(() => undefined);
    return result;
  }
}

function unitOn(rows: Rows): TaskUnit {
  return {
    tasks: taskRepository(rows),
    records: recordRepository(rows),
    outbox: outboxRepository(rows),
    ledger: ledgerRepository(rows),
    reservations: reservationRepository(rows),
  };
}

function counting(unit: TaskUnit, made: { tasks: number; events: number }): TaskUnit {
  return {
    ...unit,
    tasks: {
      ...unit.tasks,
      insert: async (task) => {
        const inserted = await unit.tasks.insert(task);
        made.tasks += 1;
        return inserted;
      },
    },
    outbox: {
      ...unit.outbox,
      append: async (event) => {
        await unit.outbox.append(event);
        made.events += 1;
      },
    },
  };
}
