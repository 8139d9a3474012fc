/** Tasks as REST sees them, asked of the task service. */
import type { CommandAnswer, CreateTask, ListTasksQuery, Task, TaskHistory, TaskList } from '@holdfast/contracts';
import type { Broker } from '../broker/broker.js';

/** Changes that take a reason. */
export type TaskEnding = 'complete' | 'terminate' | 'cancel' | 'reopen';

/** Owner label of who asks. */
export type By = `operator:${string}`;

const SERVICE = 'task-service';

export class TasksService {
  constructor(private readonly broker: Broker) {}

  /** With a key or an id of the caller's, a create whose answer is lost may be sent again. */
  create(task: CreateTask, asked: { readonly by: By; readonly idempotencyKey?: string }): Promise<CommandAnswer<'task-service', 'create'>> {
    const isRepeatable = asked.idempotencyKey !== undefined || task.taskId !== undefined;
    return this.broker.ask({ service: SERVICE, verb: 'create', body: { task, ...asked }, whenLost: isRepeatable ? 'safe' : 'unknown' });
  }

  list(query: ListTasksQuery): Promise<TaskList> {
    return this.broker.ask({ service: SERVICE, verb: 'list', body: query, whenLost: 'safe' });
  }

  async get(taskId: string): Promise<Task> {
    const { task } = await this.broker.ask({ service: SERVICE, verb: 'get', body: { taskId }, whenLost: 'safe' });
    return task;
  }

  events(taskId: string): Promise<TaskHistory> {
    return this.broker.ask({ service: SERVICE, verb: 'events', body: { taskId }, whenLost: 'safe' });
  }

  async launch(taskId: string, by: By): Promise<Task> {
    const { task } = await this.broker.ask({ service: SERVICE, verb: 'launch', body: { taskId, by }, whenLost: 'unknown' });
    return task;
  }

  async end(verb: TaskEnding, asked: { readonly taskId: string; readonly by: By; readonly reason?: string | undefined }): Promise<Task> {
    const { task } = await this.broker.ask({ service: SERVICE, verb, body: asked, whenLost: 'unknown' });
    return task;
  }
}
