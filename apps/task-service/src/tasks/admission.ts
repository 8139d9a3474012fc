/** Lets a task into the launch queue: legality, queue length, the owner's rate, and the reservation of its launch. */
import { decideAdmission, recentLaunches, type AdmissionLimits } from '@holdfast/domain-task';
import { ServiceError } from '@holdfast/kernel';
import type { Clock } from '../host/clock.js';
import type { Cause, TaskChanges } from './task-changes.js';
import type { StoredTask, TaskUnit } from './task-store.port.js';

export interface AdmissionOptions {
  readonly changes: TaskChanges;
  readonly clock: Clock;
  readonly limits: AdmissionLimits;
  /** Marks the reservations of this process. */
  readonly token: string;
}

export class Admission {
  /** Owner → monotonic times of its launches within the window. A restart forgets them: the queue's length still counts. */
  private readonly launchedAt = new Map<string, readonly number[]>();

  constructor(private readonly options: AdmissionOptions) {}

  /** @throws ServiceError `task.illegal-transition`, `task.queue-full`, or `task.launch-rate` with `retryAfterMs`. */
  async launch(unit: TaskUnit, task: StoredTask, cause: Cause): Promise<StoredTask> {
    const { changes, clock, limits, token } = this.options;
    if (task.status === 'open') this.admit(await unit.tasks.countPending(), task.owner);
    const pending = await changes.act(unit, task, 'launch', cause);
    await unit.reservations.put(task.taskId, { token, at: clock.bootMoment() });
    this.launchedAt.set(task.owner, [...this.recentOf(task.owner, limits), clock.monotonicMs()]);
    return pending;
  }

  private admit(pending: number, owner: string): void {
    const { clock, limits } = this.options;
    const verdict = decideAdmission({ pending, launchedAt: this.recentOf(owner, limits) }, clock.monotonicMs(), limits);
    if (verdict.do === 'admit') return;
    if (verdict.why === 'queue-full')
      throw new ServiceError('task.queue-full', `${pending} tasks wait for their launch, the most is ${limits.maxPending}`, {
        detail: { pending, maxPending: limits.maxPending },
      });
    throw new ServiceError('task.launch-rate', `${owner} launched ${limits.maxLaunchesPerWindow} tasks in ${limits.launchWindowMs} ms`, {
      detail: { owner, retryAfterMs: verdict.retryAfterMs },
    });
  }

  /** Forgets owners whose launches have left the window. */
  private recentOf(owner: string, limits: AdmissionLimits): readonly number[] {
    const now = this.options.clock.monotonicMs();
    for (const [name, times] of this.launchedAt) {
      const recent = recentLaunches(times, now, limits);
      if (recent.length === 0) this.launchedAt.delete(name);
      else this.launchedAt.set(name, recent);
    }
    return this.launchedAt.get(owner) ?? [];
  }
}
