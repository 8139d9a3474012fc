/** Turns rows of the database into the values of the store and back: JSON columns, boot moments, closed words. */
import {
  createTaskSchema,
  exitSchema,
  recordStatusSchema,
  sessionRecordSchema,
  taskReasonSchema,
  taskStatusSchema,
} from '@holdfast/contracts';
import { formatBootMoment, parseBootMoment, type BootMoment } from '@holdfast/domain-task';
import { invariant } from '@holdfast/kernel';
import { z } from 'zod';
import type { NewTask, RecordChange, StoredRecord, StoredTask, TaskChange } from '../tasks/task-store.port.js';
import type { SessionRecord as RecordRow, Task as TaskRow } from '../generated/prisma/client.js';

const strings = z.record(z.string(), z.string());

export function momentOf(text: string): BootMoment {
  const moment = parseBootMoment(text);
  invariant(moment, `a boot moment is stored as "${text}"`);
  return moment;
}

export function taskOf(row: TaskRow): StoredTask {
  return {
    ...row,
    status: taskStatusSchema.parse(row.status),
    reason: row.reason === null ? null : taskReasonSchema.parse(JSON.parse(row.reason)),
    agent: createTaskSchema.shape.agent.parse(JSON.parse(row.agent)),
    environment: row.environment === null ? null : strings.parse(JSON.parse(row.environment)),
    labels: strings.parse(JSON.parse(row.labels)),
    statusSince: momentOf(row.statusSince),
  };
}

export function newTaskRow(task: NewTask): Omit<TaskRow, 'number'> {
  return {
    ...task,
    reason: task.reason === null ? null : JSON.stringify(task.reason),
    agent: JSON.stringify(task.agent),
    environment: task.environment === null ? null : JSON.stringify(task.environment),
    labels: JSON.stringify(task.labels),
    statusSince: formatBootMoment(task.statusSince),
  };
}

export function taskChangeRow({ reason, statusSince, ...plain }: TaskChange): Partial<TaskRow> {
  return {
    ...plain,
    ...(reason === undefined ? {} : { reason: reason === null ? null : JSON.stringify(reason) }),
    ...(statusSince === undefined ? {} : { statusSince: formatBootMoment(statusSince) }),
  };
}

export function recordOf(row: RecordRow): StoredRecord {
  return {
    ...row,
    backend: sessionRecordSchema.shape.backend.parse(row.backend),
    lastStatus: recordStatusSchema.parse(row.lastStatus),
    exit: row.exit === null ? null : exitSchema.parse(JSON.parse(row.exit)),
    endedSince: row.endedSince === null ? null : momentOf(row.endedSince),
  };
}

export function recordChangeRow({ exit, endedSince, ...plain }: RecordChange): Partial<RecordRow> {
  return {
    ...plain,
    ...(exit === undefined ? {} : { exit: exit === null ? null : JSON.stringify(exit) }),
    ...(endedSince === undefined ? {} : { endedSince: endedSince === null ? null : formatBootMoment(endedSince) }),
  };
}

export function newRecordRow(record: StoredRecord): RecordRow {
  const { sessionId, taskId, run, epoch, hostId, backend, lastStatus, attempts, notAfter, startedAt, endedAt } = record;
  return {
    ...{ sessionId, taskId, run, epoch, hostId, backend, lastStatus, attempts, notAfter, startedAt, endedAt },
    exit: record.exit === null ? null : JSON.stringify(record.exit),
    endedSince: record.endedSince === null ? null : formatBootMoment(record.endedSince),
  };
}
