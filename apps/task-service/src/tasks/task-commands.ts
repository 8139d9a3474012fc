/** Serves `cmd.task-service.*`: what the gateway, the CLI and the reaper ask of tasks. */
import type { CommandAnswer } from '@holdfast/contracts';
import type { TaskRequest } from '@holdfast/domain-task';
import type { CommandHandlers } from '@holdfast/platform-messaging';
import type { Admission } from './admission.js';
import type { CreateTaskUseCase } from './create-task.use-case.js';
import type { TaskChanges } from './task-changes.js';
import { taskIn, type TaskQueries } from './task-queries.js';
import type { StoredTask, TaskStore } from './task-store.port.js';

/** A launch that is quick is answered with its running session; a slow one goes on behind the answer. In milliseconds. */
export const LAUNCH_ANSWER_WITHIN_MS = 2_500;

export interface TaskCommandsOptions {
  readonly store: TaskStore;
  readonly queries: TaskQueries;
  readonly create: CreateTaskUseCase;
  readonly admission: Admission;
  readonly changes: TaskChanges;
  /** Launches and ends are due; resolves when the launch, if any, got as far as it gets now. */
  readonly onChange: (task: StoredTask) => Promise<void>;
  readonly health: () => CommandAnswer<'task-service', 'health'>;
}

interface Asked {
  readonly taskId: string;
  readonly by: string;
  readonly reason?: string | undefined;
}
type Answer = CommandAnswer<'task-service', 'get'>;

export function taskCommands(options: TaskCommandsOptions): CommandHandlers<'task-service'> {
  const { store, queries, create } = options;
  return {
    create: async (request) => {
      const { task, created } = await store.write((unit) => create.run(unit, request));
      return { ...(await answerAfter(options, task)), created };
    },
    get: async ({ taskId }) => ({ task: await queries.get(taskId) }),
    list: (query) => queries.list(query),
    events: ({ taskId }) => queries.events(taskId),
    launch: (asked) => change(options, 'launch', asked),
    complete: (asked) => change(options, 'complete', asked),
    terminate: (asked) => change(options, 'terminate', asked),
    cancel: (asked) => change(options, 'cancel', asked),
    reopen: (asked) => change(options, 'reopen', asked),
    answers: (asked) => queries.answers(asked),
    health: () => Promise.resolve(options.health()),
  };
}

async function change(options: TaskCommandsOptions, action: TaskRequest, { taskId, by, reason }: Asked): Promise<Answer> {
  const { store, admission, changes } = options;
  const cause = { by, ...(reason === undefined ? {} : { reason: { text: reason } }) };
  const changed = await store.write(async (unit) => {
    const task = await taskIn(unit, taskId);
    return action === 'launch' ? admission.launch(unit, task, cause) : changes.act(unit, task, action, cause);
  });
  return answerAfter(options, changed);
}

async function answerAfter({ onChange, queries }: TaskCommandsOptions, task: StoredTask): Promise<Answer> {
  await within(LAUNCH_ANSWER_WITHIN_MS, onChange(task));
  return { task: await queries.get(task.taskId) };
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
