/** Everything that starts, ends and looks after the sessions of tasks, behind one door. */
import { isEndedTask, type AdmissionLimits } from '@holdfast/domain-task';
import { ServiceError } from '@holdfast/kernel';
import type { SessionOutcomes } from '../facts/session-outcomes.js';
import type { Clock } from '../host/clock.js';
import type { Log } from '@holdfast/platform-observability';
import type { PausePoints } from '../host/pause-points.js';
import type { Duty } from '../host/rounds.js';
import type { TaskChanges } from '../tasks/task-changes.js';
import type { StoredTask, TaskStore } from '../tasks/task-store.port.js';
import { HostDirectory } from './host-directory.js';
import { LaunchSteps } from './launch-steps.js';
import { Launcher } from './launcher.js';
import { RecordReconciler } from './record-reconciler.js';
import { SessionEnder } from './session-ender.js';
import type { SupervisorPort } from './supervisor.port.js';

export interface LaunchControlOptions {
  readonly store: TaskStore;
  readonly changes: TaskChanges;
  readonly outcomes: SessionOutcomes;
  readonly limits: AdmissionLimits;
  readonly clock: Clock;
  readonly log: Log;
  /** Of this process's reservations. */
  readonly token: string;
  readonly instance: string;
  readonly supervisors: SupervisorPort;
  readonly pausePoints: PausePoints;
  readonly isBrokerThere: () => boolean;
}

export class LaunchControl {
  /** To be run once a second. */
  readonly duties: readonly Duty[];
  private readonly hosts: HostDirectory;
  private readonly steps: LaunchSteps;
  private readonly launcher: Launcher;
  private readonly ender: SessionEnder;
  private readonly reconciler: RecordReconciler;

  constructor(private readonly options: LaunchControlOptions) {
    const { clock, instance } = options;
    this.hosts = new HostDirectory(instance, clock, () => this.hostAppeared());
    this.steps = new LaunchSteps(options);
    this.launcher = new Launcher({ ...options, steps: this.steps, hosts: this.hosts });
    this.ender = new SessionEnder(options);
    this.reconciler = new RecordReconciler(options);
    this.duties = [
      { name: 'launch', run: () => this.launcher.round() },
      { name: 'end', run: () => this.ender.round() },
      { name: 'reconcile', run: () => this.reconcile() },
    ];
  }

  /** At the start, before anything is served: unfinished launches become this process's. */
  takeOver(): Promise<void> {
    return this.steps.takeOver();
  }

  /** A host's entry in the hosts' bucket. */
  readHost(entry: unknown): void {
    this.hosts.read(entry);
  }

  /** A host's beat. */
  hear(event: unknown): void {
    this.hosts.hear(event);
  }

  /** Acts on a change at once. Resolves when a launch got as far as it gets now; ends are under way. Never rejects. */
  async changed(task: StoredTask): Promise<void> {
    if (task.status === 'pending') await this.launcher.drive(task.taskId);
    else if (isEndedTask(task.status)) await this.inBackground(this.ender.round());
  }

  brokerBack(): void {
    this.launcher.hostAppeared();
    this.ender.brokerBack();
    this.reconciler.askAll();
  }

  private hostAppeared(): void {
    this.launcher.hostAppeared();
    this.ender.brokerBack();
    void this.inBackground(this.launcher.round());
    void this.inBackground(this.ender.round());
  }

  private reconcile(): Promise<void> {
    return this.options.isBrokerThere() ? this.reconciler.round() : Promise.resolve();
  }

  /** The next round does it again. */
  private async inBackground(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.options.log.warn('round.failed', { why: ServiceError.from(error).code });
    }
  }
}
