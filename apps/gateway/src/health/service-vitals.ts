/** How the services behind the broker are: asked at most every two seconds, and never waited for longer than one. */
import type { Health } from '@holdfast/contracts';
import type { Broker } from '../broker/broker.js';
import { CachedAnswer } from './cached-answer.js';

/** A service that takes longer is as good as away. */
const ANSWER_WITHIN_MS = 1_000;
const MAX_AGE_MS = 2_000;

export class ServiceVitals {
  private readonly taskService: CachedAnswer<Health['taskService']>;
  private readonly sessionReaper: CachedAnswer<Health['sessionReaper']>;

  constructor(
    private readonly broker: Broker,
    now: () => number,
  ) {
    const options = { maxAgeMs: MAX_AGE_MS, now };
    this.taskService = new CachedAnswer(() => this.askTaskService(), options);
    this.sessionReaper = new CachedAnswer(() => this.askReaper(), options);
  }

  async read(): Promise<Pick<Health, 'taskService' | 'sessionReaper'>> {
    const [taskService, sessionReaper] = await Promise.all([this.taskService.get(), this.sessionReaper.get()]);
    return { taskService, sessionReaper };
  }

  private async askTaskService(): Promise<Health['taskService']> {
    try {
      await this.broker.ask({ service: 'task-service', verb: 'health', body: {}, whenLost: 'safe', deadlineMs: ANSWER_WITHIN_MS });
      return { status: 'ok' };
    } catch {
      return this.noAnswer();
    }
  }

  private async askReaper(): Promise<Health['sessionReaper']> {
    try {
      const status = await this.broker.ask({
        ...({ service: 'reaper', verb: 'status', body: {} } as const),
        ...({ whenLost: 'safe', deadlineMs: ANSWER_WITHIN_MS } as const),
      });
      return { ...status, status: 'ok' };
    } catch {
      return this.noAnswer();
    }
  }

  /** Without a broker nobody can know. */
  private noAnswer(): { status: 'unreachable' | 'unknown' } {
    return { status: this.broker.status === 'unknown' ? 'unknown' : 'unreachable' };
  }
}
