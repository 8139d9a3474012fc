/** The task store and the supervisors, reached by commands over the broker. */
import type { CommandClient } from '@holdfast/platform-messaging';
import type { Handle, ProbeAnswer, ReapAnswer, ReapRequest, Supervisors } from '../sweep/supervisor.port.js';
import type { StoreAnswers, TaskStore } from '../sweep/task-store.port.js';

/** A store slower than this is silent. */
export const STORE_DEADLINE_MS = 2_000;
export const PROBE_DEADLINE_MS = 5_000;
/** A kill's grace is 10 s, and it looks again between volleys. */
export const REAP_DEADLINE_MS = 30_000;

export class CommandTaskStore implements TaskStore {
  constructor(private readonly client: CommandClient) {}

  /** Whatever the failure, nothing is known: the verdicts say so, session by session. */
  answers(about: Parameters<TaskStore['answers']>[0]): Promise<StoreAnswers | undefined> {
    return this.client.request('task-service', 'answers', about, { deadlineMs: STORE_DEADLINE_MS }).catch(() => undefined);
  }
}

export class CommandSupervisors implements Supervisors {
  constructor(private readonly client: CommandClient) {}

  probe({ hostId, sessionId, epoch }: Handle): Promise<ProbeAnswer> {
    return this.client.request('session-supervisor', 'probe', { sessionId, epoch }, { hostId, deadlineMs: PROBE_DEADLINE_MS });
  }

  reap(hostId: string, request: ReapRequest): Promise<ReapAnswer> {
    return this.client.request('session-supervisor', 'reap', request, { hostId, deadlineMs: REAP_DEADLINE_MS });
  }
}
