/** Tasks, session records and launch reservations in the database. */
import type { Prisma } from '../generated/prisma/client.js';
import { formatBootMoment } from '@holdfast/domain-task';
import type { RecordRepository, ReservationRepository, TaskRepository } from '../tasks/task-store.port.js';
import { momentOf, newRecordRow, newTaskRow, recordChangeRow, recordOf, taskChangeRow, taskOf } from './rows.js';

export type Rows = Prisma.TransactionClient;

export function taskRepository(rows: Rows): TaskRepository {
  return {
    insert: async (task) => taskOf(await rows.task.create({ data: newTaskRow(task) })),
    find: async (taskId) => {
      const row = await rows.task.findUnique({ where: { taskId } });
      return row === null ? undefined : taskOf(row);
    },
    findMany: async (taskIds) => (await rows.task.findMany({ where: { taskId: { in: [...taskIds] } } })).map(taskOf),
    update: async (taskId, change) => taskOf(await rows.task.update({ where: { taskId }, data: taskChangeRow(change) })),
    page: async ({ status, owner, parentId }, limit, before) => {
      const where = {
        ...(status === undefined ? {} : { status }),
        ...(owner === undefined ? {} : { owner }),
        ...(parentId === undefined ? {} : { parentId }),
        ...(before === undefined ? {} : { number: { lt: before } }),
      };
      return (await rows.task.findMany({ where, orderBy: { number: 'desc' }, take: limit })).map(taskOf);
    },
    pending: async () => (await rows.task.findMany({ where: { status: 'pending' }, orderBy: { number: 'asc' } })).map(taskOf),
    countPending: () => rows.task.count({ where: { status: 'pending' } }),
    count: () => rows.task.count(),
  };
}

export function recordRepository(rows: Rows): RecordRepository {
  return {
    insert: async (record) => void (await rows.sessionRecord.create({ data: newRecordRow(record) })),
    find: async (sessionId) => {
      const row = await rows.sessionRecord.findUnique({ where: { sessionId } });
      return row === null ? undefined : recordOf(row);
    },
    findMany: async (sessionIds) => (await rows.sessionRecord.findMany({ where: { sessionId: { in: [...sessionIds] } } })).map(recordOf),
    update: async (sessionId, change) => void (await rows.sessionRecord.update({ where: { sessionId }, data: recordChangeRow(change) })),
    ofTasks: async (taskIds) => {
      const found = await rows.sessionRecord.findMany({
        where: { taskId: { in: [...taskIds] } },
        orderBy: [{ taskId: 'asc' }, { run: 'asc' }],
      });
      return found.map(recordOf);
    },
    running: async () => (await rows.sessionRecord.findMany({ where: { lastStatus: 'running' } })).map(recordOf),
    condemned: async () => {
      const found = await rows.$queryRaw<{ sessionId: string }[]>`
        SELECT r.sessionId FROM SessionRecord r JOIN Task t ON t.taskId = r.taskId
        WHERE r.lastStatus IN ('starting', 'running')
          AND (t.status IN ('completed', 'terminated', 'cancelled') OR t.currentSessionId IS NOT r.sessionId)`;
      if (found.length === 0) return [];
      return (await rows.sessionRecord.findMany({ where: { sessionId: { in: found.map(({ sessionId }) => sessionId) } } })).map(recordOf);
    },
  };
}

export function reservationRepository(rows: Rows): ReservationRepository {
  return {
    find: async (taskId) => {
      const row = await rows.launchReservation.findUnique({ where: { taskId } });
      return row === null ? undefined : { token: row.token, at: momentOf(row.reservedAt) };
    },
    put: async (taskId, { token, at }) => {
      const values = { token, reservedAt: formatBootMoment(at) };
      await rows.launchReservation.upsert({ where: { taskId }, create: { taskId, ...values }, update: values });
    },
    remove: async (taskId) => void (await rows.launchReservation.deleteMany({ where: { taskId } })),
  };
}
