/** Events in the database: facts on their way out, and what was taken in before. */
import { taskFactSchema } from '@holdfast/contracts';
import { formatBootMoment } from '@holdfast/domain-task';
import type { LedgerRepository, OutboxRepository } from '../tasks/task-store.port.js';
import { momentOf } from './rows.js';
import type { Rows } from './task.repositories.js';

export function outboxRepository(rows: Rows): OutboxRepository {
  return {
    append: async ({ eventId, subject, body, fact }) => {
      const known = fact === undefined ? {} : { taskId: fact.taskId, sequence: fact.sequence, fact: JSON.stringify(fact) };
      await rows.outboxEvent.create({ data: { eventId, subject, body, ...known } });
    },
    pending: (limit) =>
      rows.outboxEvent.findMany({
        where: { publishedAt: null },
        orderBy: { position: 'asc' },
        take: limit,
        select: { position: true, eventId: true, subject: true, body: true },
      }),
    countPending: () => rows.outboxEvent.count({ where: { publishedAt: null } }),
    markPublished: async (positions, at) => {
      await rows.outboxEvent.updateMany({ where: { position: { in: [...positions] } }, data: { publishedAt: at } });
    },
    history: async (taskId, limit) => {
      const where = { taskId, fact: { not: null } };
      const found = await rows.outboxEvent.findMany({ where, orderBy: { sequence: 'desc' }, take: limit, select: { fact: true } });
      return found.reverse().map(({ fact }) => taskFactSchema.parse(JSON.parse(fact ?? 'null')));
    },
  };
}

export function ledgerRepository(rows: Rows): LedgerRepository {
  return {
    takeIn: async ({ source, id }, seenAt) => {
      const known = await rows.inboxSeen.findUnique({ where: { source_id: { source, id } } });
      if (known !== null) return false;
      await rows.inboxSeen.create({ data: { source, id, seenAt: formatBootMoment(seenAt) } });
      return true;
    },
    findKey: async (scope, key) => {
      const row = await rows.idempotencyKey.findUnique({ where: { scope_key: { scope, key } } });
      return row === null ? undefined : { bodyHash: row.bodyHash, taskId: row.taskId, usedAt: momentOf(row.usedAt) };
    },
    putKey: async (scope, key, { bodyHash, taskId, usedAt }) => {
      const values = { bodyHash, taskId, usedAt: formatBootMoment(usedAt) };
      await rows.idempotencyKey.upsert({ where: { scope_key: { scope, key } }, create: { scope, key, ...values }, update: values });
    },
  };
}
