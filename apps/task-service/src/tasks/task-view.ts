/** A stored task as it is shown to people and followers. */
import type { SessionRecord, Task } from '@holdfast/contracts';
import type { StoredRecord, StoredTask } from './task-store.port.js';

/** Environment values are left out: they may be secrets. */
export function viewTask(task: StoredTask, records: readonly StoredRecord[]): Task {
  return {
    taskId: task.taskId,
    title: task.title,
    status: task.status,
    ...(task.reason === null ? {} : { reason: task.reason }),
    needsAttention: task.needsAttention,
    owner: task.owner,
    agent: task.agent,
    ...(task.prompt === null ? {} : { prompt: task.prompt }),
    ...(task.cwd === null ? {} : { cwd: task.cwd }),
    priority: task.priority,
    ...(task.parentId === null ? {} : { parentId: task.parentId }),
    labels: { ...task.labels },
    createdAt: task.createdAt,
    updatedAt: task.updatedAt,
    ...(task.endedAt === null ? {} : { endedAt: task.endedAt }),
    sequence: task.sequence,
    sessions: records.map(viewRecord),
  };
}

export function viewRecord(record: StoredRecord): SessionRecord {
  const { sessionId, epoch, hostId, backend, lastStatus, exit, startedAt, endedAt } = record;
  return { sessionId, epoch, hostId, backend, lastStatus, ...(exit === null ? {} : { exit }), startedAt, endedAt };
}
