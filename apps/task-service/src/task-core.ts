/** What changes and reads tasks, over one store; knows no broker. */
import type { AdmissionLimits } from '@holdfast/domain-task';
import { SessionOutcomes } from './facts/session-outcomes.js';
import type { Clock } from './host/clock.js';
import { Admission } from './tasks/admission.js';
import { CreateTaskUseCase } from './tasks/create-task.use-case.js';
import { TaskChanges } from './tasks/task-changes.js';
import { TaskQueries } from './tasks/task-queries.js';
import type { TaskStore } from './tasks/task-store.port.js';

export interface TaskCoreOptions {
  readonly store: TaskStore;
  readonly clock: Clock;
  /** Subject root of the instance. */
  readonly root: string;
  readonly limits: AdmissionLimits;
  /** Of this process's reservations. */
  readonly token: string;
}

export interface TaskCore extends TaskCoreOptions {
  readonly changes: TaskChanges;
  readonly outcomes: SessionOutcomes;
  readonly admission: Admission;
  readonly create: CreateTaskUseCase;
  readonly queries: TaskQueries;
}

export function taskCore(options: TaskCoreOptions): TaskCore {
  const { store, clock, root } = options;
  const changes = new TaskChanges(root, clock);
  const admission = new Admission({ ...options, changes });
  return {
    ...options,
    changes,
    admission,
    outcomes: new SessionOutcomes(changes, clock),
    create: new CreateTaskUseCase(changes, admission, clock),
    queries: new TaskQueries(store, clock),
  };
}
