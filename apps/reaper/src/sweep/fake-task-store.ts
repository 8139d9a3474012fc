/** A task store for tests that knows what it is told, or says nothing. */
import type { StoreAnswers, TaskStore } from './task-store.port.js';

export class FakeTaskStore implements TaskStore {
  silent = false;
  readonly tasks = new Map<string, Omit<StoreAnswers['tasks'][number], 'taskId' | 'known'>>();
  records: StoreAnswers['records'] = [];
  readonly asked: { readonly taskIds: readonly string[]; readonly sessionIds: readonly string[] }[] = [];

  answers({ taskIds, sessionIds }: Parameters<TaskStore['answers']>[0]): Promise<StoreAnswers | undefined> {
    this.asked.push({ taskIds, sessionIds });
    if (this.silent) return Promise.resolve(undefined);
    return Promise.resolve({
      tasks: taskIds.map((taskId) => ({ taskId, known: this.tasks.has(taskId), endedForMs: null, ...this.tasks.get(taskId) })),
      records: this.records.filter(({ sessionId }) => sessionIds.includes(sessionId)),
    });
  }
}
