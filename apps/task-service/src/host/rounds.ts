/** Runs the periodic duties of the service one after the other, again and again. */
import { ServiceError } from '@holdfast/kernel';
import type { Log } from '@holdfast/platform-observability';

export interface Duty {
  readonly name: string;
  readonly run: () => Promise<void>;
}

export class Rounds {
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  private inRound: Promise<void> = Promise.resolve();

  constructor(
    private readonly duties: readonly Duty[],
    private readonly everyMs: number,
    private readonly log: Log,
  ) {}

  start(): void {
    this.inRound = this.round().finally(() => {
      if (!this.closed) this.timer = setTimeout(() => this.start(), this.everyMs);
    });
  }

  /** Waits for the round in hand. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.inRound;
  }

  /** A duty that fails is tried again in the next round, and the others are done all the same. */
  private async round(): Promise<void> {
    for (const { name, run } of this.duties) {
      try {
        await run();
      } catch (error) {
        this.log.warn('duty.failed', { duty: name, why: ServiceError.from(error).code });
      }
    }
  }
}
