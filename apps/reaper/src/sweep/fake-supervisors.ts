/** Supervisors for tests: hold sessions, answer probes, and kill or refuse as told. */
import { ServiceError } from '@holdfast/kernel';
import type { Handle, ProbeAnswer, ReapAnswer, ReapRequest, Supervisors } from './supervisor.port.js';

export class FakeSupervisors implements Supervisors {
  /** Answers of probes by session id; a session without one is dead. */
  readonly probes = new Map<string, ProbeAnswer | ServiceError>();
  /** What a reap of a session id answers; default: it is killed. */
  readonly reaps = new Map<string, ReapAnswer | ServiceError>();
  readonly killed: string[] = [];
  readonly requests: ReapRequest[] = [];

  probe({ sessionId }: Handle): Promise<ProbeAnswer> {
    const answer = this.probes.get(sessionId) ?? { alive: 'dead', ageMs: null };
    return answer instanceof ServiceError ? Promise.reject(answer) : Promise.resolve(answer);
  }

  reap(_hostId: string, request: ReapRequest): Promise<ReapAnswer> {
    this.requests.push(request);
    const { sessionId, epoch } = request;
    const answer = this.reaps.get(sessionId);
    if (answer instanceof ServiceError) return Promise.reject(answer);
    if (answer) return Promise.resolve(answer);
    this.killed.push(sessionId);
    this.probes.delete(sessionId);
    return Promise.resolve({ killed: true, report: { sessionId, epoch, signalled: [], survivors: [], exit: null } });
  }
}
