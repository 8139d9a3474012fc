/** Brings the database to the newest schema before anything else opens it; safe when two services start at once. */
import { ServiceError } from '@holdfast/kernel';
import Database, { type Database as Connection } from 'better-sqlite3';
import { createHash, randomUUID } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { storageFailure } from './storage-error.js';

/** Another service that migrates is waited for this long, in milliseconds. */
const START_BUSY_TIMEOUT_MS = 10_000;

/** As `prisma migrate deploy` makes it, so that Prisma's tools accept what was applied here. */
const MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id"                    TEXT PRIMARY KEY NOT NULL,
    "checksum"              TEXT NOT NULL,
    "finished_at"           DATETIME,
    "migration_name"        TEXT NOT NULL,
    "logs"                  TEXT,
    "rolled_back_at"        DATETIME,
    "started_at"            DATETIME NOT NULL DEFAULT current_timestamp,
    "applied_steps_count"   INTEGER UNSIGNED NOT NULL DEFAULT 0
)`;

/** This file is in `src/store` or `dist/store`: two below the project either way. */
export const MIGRATIONS = new URL('../../prisma/migrations/', import.meta.url);

/**
 * Makes directory and database when missing, switches to WAL, checks the integrity after an unclean stop, and applies what is missing
 * under one BEGIN IMMEDIATE. Gives the names applied. Blocks the process meanwhile: it is for the start.
 * @throws ServiceError `storage.failed`: locked for 10 s, damaged, full, or migrated by a newer build.
 */
export function migrate(path: string, directory: URL = MIGRATIONS): readonly string[] {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    /** Environments of launches may hold secrets; the log beside the database gets the same mode. */
    closeSync(openSync(path, 'a', 0o600));
    const stoppedUncleanly = existsSync(`${path}-wal`);
    const database = new Database(path, { timeout: START_BUSY_TIMEOUT_MS });
    try {
      database.pragma('journal_mode = WAL');
      if (stoppedUncleanly) refuseDamaged(database, path);
      return applyMissing(database, directory);
    } finally {
      database.close();
    }
  } catch (error) {
    throw storageFailure(error, path);
  }
}

/** A clean stop removes the write-ahead log. */
function refuseDamaged(database: Connection, path: string): void {
  const result = database.pragma('integrity_check(1)', { simple: true });
  if (result !== 'ok') throw new ServiceError('storage.failed', `the task store is damaged (${path}): ${String(result)}`);
}

function applyMissing(database: Connection, directory: URL): readonly string[] {
  const applied: string[] = [];
  // PRAGMA foreign_keys does nothing inside a transaction; Prisma's redefinition of tables expects it off around it.
  database.pragma('foreign_keys = OFF');
  database
    .transaction(() => {
      database.exec(MIGRATIONS_TABLE);
      const known = knownMigrations(database);
      for (const { name, sql, checksum } of checkedInMigrations(directory)) {
        const before = known.get(name);
        known.delete(name);
        if (before === checksum) continue;
        if (before !== undefined) throw new ServiceError('storage.failed', `migration ${name} was changed after it was applied`);
        applyOne(database, { name, sql, checksum });
        applied.push(name);
      }
      const [newer] = known.keys();
      if (newer !== undefined) throw new ServiceError('storage.failed', `the task store is of a newer build: it has migration ${newer}`);
      refuseBrokenReferences(database);
    })
    .immediate();
  return applied;
}

function knownMigrations(database: Connection): Map<string, string> {
  const rows = database
    .prepare<[], { name: string; checksum: string }>(
      'SELECT migration_name AS name, checksum FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
    )
    .all();
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
}

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

function checkedInMigrations(directory: URL): readonly Migration[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => {
      const bytes = readFileSync(new URL(`${name}/migration.sql`, directory));
      return { name, sql: bytes.toString('utf8'), checksum: createHash('sha256').update(bytes).digest('hex') };
    });
}

function applyOne(database: Connection, { name, sql, checksum }: Migration): void {
  const started = new Date().toISOString();
  database.exec(sql);
  database
    .prepare(
      'INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, started_at, applied_steps_count) VALUES (?, ?, ?, ?, ?, 1)',
    )
    .run(randomUUID(), checksum, new Date().toISOString(), name, started);
}

function refuseBrokenReferences(database: Connection): void {
  const broken = database.pragma('foreign_key_check') as readonly unknown[];
  if (broken.length > 0) throw new ServiceError('storage.failed', `a migration broke ${broken.length} references between rows`);
}
