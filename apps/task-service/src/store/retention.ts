/** Keeps the database bounded: removes ended tasks, used keys and seen events that are older than their limits. */
import type { BootMoment } from '@holdfast/domain-task';
import { Prisma } from '../generated/prisma/client.js';
import type { Rows } from './task.repositories.js';

const DAY_MS = 24 * 3600_000;
/** Ended tasks with their sessions and history. */
export const TASK_RETENTION_MS = 90 * DAY_MS;
/** Twice as long as the broker keeps an event and may bring it again. */
export const SEEN_RETENTION_MS = 14 * DAY_MS;
export const KEY_RETENTION_MS = DAY_MS;

/** Of an earlier boot is known only that it is older than this boot: such rows go once this boot is older than the limit. Gives the tasks removed. */
export async function pruneRows(rows: Rows, now: BootMoment): Promise<number> {
  await rows.$executeRaw`DELETE FROM IdempotencyKey WHERE ${olderThan('usedAt', KEY_RETENTION_MS, now)}`;
  await rows.$executeRaw`DELETE FROM InboxSeen WHERE ${olderThan('seenAt', SEEN_RETENTION_MS, now)}`;
  await rows.outboxEvent.deleteMany({ where: { taskId: null, publishedAt: { not: null } } });
  const old = Prisma.sql`status IN ('completed', 'terminated', 'cancelled') AND ${olderThan('statusSince', TASK_RETENTION_MS, now)}
    AND NOT EXISTS (SELECT 1 FROM OutboxEvent e WHERE e.taskId = Task.taskId AND e.publishedAt IS NULL)`;
  await rows.$executeRaw`DELETE FROM OutboxEvent WHERE taskId IN (SELECT taskId FROM Task WHERE ${old})`;
  return rows.$executeRaw`DELETE FROM Task WHERE ${old}`;
}

/** Boot moments are stored as `<boot id> <milliseconds>`. */
function olderThan(column: 'usedAt' | 'seenAt' | 'statusSince', limitMs: number, now: BootMoment): Prisma.Sql {
  const text = Prisma.raw(column);
  const prefix = `${now.bootId} `;
  return Prisma.sql`CASE WHEN substr(${text}, 1, ${prefix.length}) = ${prefix}
    THEN CAST(substr(${text}, ${prefix.length + 1}) AS INTEGER) < ${now.ms - limitMs}
    ELSE ${now.ms > limitMs ? 1 : 0} END`;
}
