/** Sweeps again and again, each time an interval after the last sweep's end. */
import type { Log } from '@holdfast/platform-observability';
import type { Sweeper } from './sweeper.js';

export interface SweepTimerOptions {
  readonly sweeper: Pick<Sweeper, 'sweep' | 'status'>;
  readonly intervalMs: number;
  readonly log: Log;
}

export class SweepTimer {
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private unknownTasks = 0;

  private constructor(private readonly options: SweepTimerOptions) {
    this.wait();
  }

  static start(options: SweepTimerOptions): SweepTimer {
    return new SweepTimer(options);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private wait(): void {
    if (!this.stopped) this.timer = setTimeout(() => void this.sweepOnce().finally(() => this.wait()), this.options.intervalMs);
  }

  private async sweepOnce(): Promise<void> {
    const { sweeper, log } = this.options;
    try {
      await sweeper.sweep();
      const { effectiveOrphanAgeMs, hostsHeard, sessionsSeen, waiting, reapedTotal, killFailedTotal, taskUnknown } = sweeper.status();
      log.info('reaper.swept', { effectiveOrphanAgeMs, hostsHeard, sessionsSeen, waiting, reapedTotal, killFailedTotal, taskUnknown });
      this.alertOnce(taskUnknown ?? 0);
    } catch (error) {
      log.warn('reaper.sweep-failed', { why: error instanceof Error ? error.message : 'unknown' });
    }
  }

  /** Sessions whose task nobody knows are for a person to look at; a line for each change is enough to find them. */
  private alertOnce(unknownTasks: number): void {
    if (unknownTasks > this.unknownTasks) this.options.log.warn('reaper.task-unknown', { sessions: unknownTasks });
    this.unknownTasks = unknownTasks;
  }
}
