/** Prisma's SQLite adapter with transactions that take the write lock at once and wait for it without blocking the process. */
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { setTimeout as pause } from 'node:timers/promises';
import { isBusy } from './storage-error.js';

type SqlAdapter = Awaited<ReturnType<PrismaBetterSqlite3['connect']>>;
type SqlTransaction = Awaited<ReturnType<SqlAdapter['startTransaction']>>;

/** SQLite's own wait for a lock blocks this process: long enough for a short write of another process, no longer. */
export const BUSY_TIMEOUT_MS = 50;
const RETRY_PAUSE_MS = 20;
/** A lock held for longer than this is an error, in milliseconds. */
export const LOCK_DEADLINE_MS = 5_000;

/**
 * The driver's own transactions begin deferred: their first write fails when another process wrote meanwhile, and a begin that fails
 * leaves its mutex locked. Here one transaction at a time is the caller's duty.
 */
export class ImmediateAdapterFactory extends PrismaBetterSqlite3 {
  override async connect(): Promise<SqlAdapter> {
    const adapter = await super.connect();
    await adapter.executeScript('PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
    adapter.startTransaction = async () => {
      await beginImmediate(adapter);
      return transactionOn(adapter);
    };
    return adapter;
  }
}

async function beginImmediate(adapter: SqlAdapter): Promise<void> {
  const end = performance.now() + LOCK_DEADLINE_MS;
  for (;;) {
    try {
      return await adapter.executeScript('BEGIN IMMEDIATE');
    } catch (error) {
      if (!isBusy(error) || performance.now() >= end) throw error;
    }
    await pause(RETRY_PAUSE_MS);
  }
}

/** Prisma sends COMMIT and ROLLBACK as statements itself. */
function transactionOn(adapter: SqlAdapter): SqlTransaction {
  const run = async (sql: string): Promise<void> => void (await adapter.executeRaw({ sql, args: [], argTypes: [] }));
  return {
    provider: adapter.provider,
    adapterName: adapter.adapterName,
    options: { usePhantomQuery: false },
    queryRaw: (query) => adapter.queryRaw(query),
    executeRaw: (query) => adapter.executeRaw(query),
    commit: () => Promise.resolve(),
    rollback: () => Promise.resolve(),
    createSavepoint: (name) => run(`SAVEPOINT ${name}`),
    rollbackToSavepoint: (name) => run(`ROLLBACK TO ${name}`),
    releaseSavepoint: (name) => run(`RELEASE SAVEPOINT ${name}`),
  };
}
