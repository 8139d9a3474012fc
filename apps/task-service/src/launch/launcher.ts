/** Drives pending tasks to their one session: at once, again after failures, and again after a crash at any step. */
import { ageOf, isPendingTooLong, type AdmissionLimits } from '@holdfast/domain-task';
import { ServiceError, type ErrorCode } from '@holdfast/kernel';
import type { Session } from '@holdfast/contracts';
import type { Clock } from '../host/clock.js';
import type { Log } from '@holdfast/platform-observability';
import type { PausePoints } from '../host/pause-points.js';
import type { TaskChanges } from '../tasks/task-changes.js';
import type { StoredRecord, StoredTask, TaskStore } from '../tasks/task-store.port.js';
import type { HostDirectory } from './host-directory.js';
import type { Claim, LaunchSteps } from './launch-steps.js';
import { RetrySchedule } from './retry-schedule.js';
import { sessionSpec } from './session-spec.js';
import type { SupervisorPort } from './supervisor.port.js';

export interface LauncherOptions {
  readonly store: TaskStore;
  readonly steps: LaunchSteps;
  readonly changes: TaskChanges;
  readonly hosts: HostDirectory;
  readonly supervisors: SupervisorPort;
  readonly limits: AdmissionLimits;
  readonly clock: Clock;
  readonly log: Log;
  readonly pausePoints: PausePoints;
}

/** The supervisor knows the id: what it has is looked at before anything is concluded. */
const ID_IS_KNOWN: readonly ErrorCode[] = ['session.conflict', 'session.ended', 'session.lost', 'session.id-used'];
export const SERVICE_LABEL = 'service:task-service';

export class Launcher {
  private readonly driven = new Map<string, Promise<void>>();
  private readonly retries: RetrySchedule;

  constructor(private readonly options: LauncherOptions) {
    this.retries = new RetrySchedule(options.clock);
  }

  /** Drives the task once, as far as it gets now; joins a drive that is under way. Never rejects. */
  drive(taskId: string): Promise<void> {
    const before = this.driven.get(taskId);
    if (before) return before;
    const drive = this.attempt(taskId)
      .catch((error: unknown) => {
        this.retries.failedNow(taskId);
        this.options.log.warn('launch.failed', { taskId, why: ServiceError.from(error).code });
      })
      .finally(() => this.driven.delete(taskId));
    this.driven.set(taskId, drive);
    return drive;
  }

  /** A host appeared: whoever waited for one is driven now. */
  hostAppeared(): void {
    this.retries.makeAllDue();
  }

  /** Drives what is due, and cancels what has waited too long. */
  async round(): Promise<void> {
    const now = this.options.clock.bootMoment();
    for (const task of await this.options.store.read((unit) => unit.tasks.pending())) {
      if (isPendingTooLong(ageOf(task.statusSince, now), this.options.limits)) await this.expire(task);
      else if (this.retries.isDue(task.taskId)) void this.drive(task.taskId);
    }
  }

  private async expire({ taskId }: StoredTask): Promise<void> {
    const { store, changes, limits } = this.options;
    const text = `pending for longer than ${Math.round(limits.maxPendingAgeMs / 60_000)} minutes`;
    await store.write(async (unit) => {
      const task = await unit.tasks.find(taskId);
      if (task?.status === 'pending') await changes.act(unit, task, 'cancel', { by: SERVICE_LABEL, reason: { text } });
    });
  }

  private async attempt(taskId: string): Promise<void> {
    const { steps, pausePoints } = this.options;
    const claim = await steps.claim(taskId);
    if (!claim) return this.retries.forget(taskId);
    await pausePoints.reach('reservation');
    const persisted = await this.withHost(claim);
    if (!persisted?.record) return this.retries.failedNow(taskId);
    await pausePoints.reach('persisted');
    const commanded = await steps.attempt(taskId);
    if (!commanded?.record) return this.retries.forget(taskId);
    const session = await this.command(commanded.task, commanded.record);
    await pausePoints.reach('commanded');
    if (session) await steps.record(session);
    await pausePoints.reach('recorded');
    this.retries.forget(taskId);
  }

  /** A session that a host may have heard of stays with it, whatever happens to the host. */
  private withHost(claim: Claim): Promise<Claim | undefined> {
    const { hosts, steps } = this.options;
    const { task, record } = claim;
    if (record && (record.attempts > 0 || hosts.isHeard(record.hostId))) return Promise.resolve(claim);
    const hostId = hosts.place();
    return hostId === undefined ? Promise.resolve(undefined) : steps.persist(task.taskId, hostId);
  }

  /** Undefined when the launch was given up. @throws what leaves the outcome open: the next drive repeats the command. */
  private async command(task: StoredTask, record: StoredRecord): Promise<Session | undefined> {
    const { supervisors, steps, hosts } = this.options;
    const { sessionId, hostId, attempts, notAfter } = record;
    try {
      return await supervisors.launch(hostId, { attempt: attempts, notAfter: notAfter ?? '', spec: sessionSpec(task, sessionId) });
    } catch (thrown) {
      const error = ServiceError.from(thrown);
      if (error.code === 'service.unreachable') {
        hosts.missed(hostId);
        await steps.takeBack(task.taskId, attempts);
      }
      if (error.retry !== 'never' || error.code === 'command.stale') throw error;
      const known = ID_IS_KNOWN.includes(error.code) ? await this.ownSession(task, record) : undefined;
      if (known) return known;
      await steps.release(task.taskId, sessionId, `${error.code}: ${error.message}`);
      return undefined;
    }
  }

  /** The session as an earlier attempt started it, perhaps from a spec of another build. */
  private async ownSession(task: StoredTask, { hostId, sessionId }: StoredRecord): Promise<Session | undefined> {
    try {
      const session = await this.options.supervisors.get(hostId, sessionId);
      return session.owner === `task:${task.taskId}` ? session : undefined;
    } catch (thrown) {
      if (ServiceError.from(thrown).code === 'session.not-found') return undefined;
      throw thrown;
    }
  }
}
