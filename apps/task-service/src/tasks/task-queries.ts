/** What can be asked about tasks without changing any. */
import type { CommandAnswer, CommandRequest, ListTasksQuery, Task, TaskList } from '@holdfast/contracts';
import { ageOf, isEndedTask } from '@holdfast/domain-task';
import { ServiceError } from '@holdfast/kernel';
import type { Clock } from '../host/clock.js';
import type { StoredTask, TaskStore, TaskUnit } from './task-store.port.js';
import { viewTask } from './task-view.js';

const DEFAULT_PAGE = 100;
/** A page ends early rather than outgrow a message of the broker, in bytes of JSON; one task always fits. */
const MAX_PAGE_BYTES = 600 * 1024;
/** The newest facts that `events` gives. */
const MAX_HISTORY = 500;

export class TaskQueries {
  constructor(
    private readonly store: TaskStore,
    private readonly clock: Clock,
  ) {}

  /** @throws ServiceError `task.not-found`. */
  get(taskId: string): Promise<Task> {
    return this.store.read(async (unit) => viewOne(unit, await taskIn(unit, taskId)));
  }

  /** Newest first. The cursor names the last task given: tasks created meanwhile never shift a page. */
  async list({ status, owner, parentId, limit = DEFAULT_PAGE, cursor }: ListTasksQuery): Promise<TaskList> {
    const before = cursor === undefined ? undefined : numberOf(cursor);
    const { tasks, views } = await this.store.read(async (unit) => {
      const page = await unit.tasks.page({ status, owner, parentId }, limit + 1, before);
      const records = await unit.records.ofTasks(page.map(({ taskId }) => taskId));
      return {
        tasks: page,
        views: page.map((task) =>
          viewTask(
            task,
            records.filter(({ taskId }) => taskId === task.taskId),
          ),
        ),
      };
    });
    const items = whatFits(views.slice(0, limit));
    const last = tasks[items.length - 1];
    return { items, ...(items.length < tasks.length && last ? { nextCursor: cursorOf(last.number) } : {}) };
  }

  /** Oldest first. @throws ServiceError `task.not-found`. */
  events(taskId: string): Promise<CommandAnswer<'task-service', 'events'>> {
    return this.store.read(async (unit) => {
      await taskIn(unit, taskId);
      return { items: [...(await unit.outbox.history(taskId, MAX_HISTORY))] };
    });
  }

  /** For the reaper: a task it asks about and the store does not have is said to be unknown; a record is left out. */
  answers(asked: CommandRequest<'task-service', 'answers'>): Promise<CommandAnswer<'task-service', 'answers'>> {
    const now = this.clock.bootMoment();
    return this.store.read(async (unit) => {
      const known = new Map((await unit.tasks.findMany(asked.taskIds)).map((task) => [task.taskId, task]));
      const records = await unit.records.findMany(asked.sessionIds);
      return {
        tasks: asked.taskIds.map((taskId) => {
          const task = known.get(taskId);
          if (!task) return { taskId, known: false, endedForMs: null };
          return { taskId, known: true, status: task.status, endedForMs: isEndedTask(task.status) ? ageOf(task.statusSince, now) : null };
        }),
        records: records.map(({ sessionId, taskId, lastStatus, endedSince }) => ({
          ...{ sessionId, taskId, lastStatus },
          endedForMs: endedSince === null ? null : ageOf(endedSince, now),
        })),
      };
    });
  }
}

/** @throws ServiceError `task.not-found`. */
export async function taskIn(unit: TaskUnit, taskId: string): Promise<StoredTask> {
  const task = await unit.tasks.find(taskId);
  if (!task) throw new ServiceError('task.not-found', `no task "${taskId}"`, { detail: { taskId } });
  return task;
}

export async function viewOne(unit: TaskUnit, task: StoredTask): Promise<Task> {
  return viewTask(task, await unit.records.ofTasks([task.taskId]));
}

function whatFits(views: readonly Task[]): Task[] {
  let bytes = 0;
  return views.filter((view, at) => {
    bytes += Buffer.byteLength(JSON.stringify(view));
    return at === 0 || bytes <= MAX_PAGE_BYTES;
  });
}

function cursorOf(number: number): string {
  return Buffer.from(`t${number}`).toString('base64url');
}

function numberOf(cursor: string): number {
  const match = /^t(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (!match) throw new ServiceError('request.invalid', 'cursor: is none that a list gave');
  return Number(match[1]);
}
