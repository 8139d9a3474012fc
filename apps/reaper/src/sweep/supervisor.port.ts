/** What the reaper asks of the supervisors: whether a handle lives, and to kill it. The reaper itself kills nothing. */
import type { CommandAnswer, CommandRequest } from '@holdfast/contracts';

export type ReapRequest = CommandRequest<'session-supervisor', 'reap'>;
export type ReapAnswer = CommandAnswer<'session-supervisor', 'reap'>;
export type ProbeAnswer = CommandAnswer<'session-supervisor', 'probe'>;

export interface Handle {
  readonly hostId: string;
  readonly sessionId: string;
  readonly epoch: number;
}

export interface Supervisors {
  /** @throws ServiceError when there is no answer within its deadline. */
  probe(handle: Handle): Promise<ProbeAnswer>;
  /** Waits for the kill, its grace included. @throws ServiceError: `safe` when nothing happened, `unknown` when it may have. */
  reap(hostId: string, request: ReapRequest): Promise<ReapAnswer>;
}
