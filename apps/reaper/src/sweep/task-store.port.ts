/** What the reaper asks the task store. */
import type { CommandAnswer, CommandRequest } from '@holdfast/contracts';

export type StoreAnswers = CommandAnswer<'task-service', 'answers'>;

export interface TaskStore {
  /** Undefined: no answer in time, so nothing is known. At most 1,000 ids of each kind. */
  answers(about: CommandRequest<'task-service', 'answers'>): Promise<StoreAnswers | undefined>;
}
