/** Judges every session of an inventory by the answers of the task store. */
import type { ReapVerdict } from '@holdfast/contracts';
import { decideReap, namedTaskId, type InventorySession, type ReapLimits, type StoreAnswer } from '@holdfast/domain-liveness';
import type { Clock } from '../clock.js';
import type { HeardHost } from '../inventory/host-inventory.js';
import type { StoreAnswers, TaskStore } from './task-store.port.js';

export interface Judged {
  readonly host: HeardHost;
  readonly session: InventorySession;
  readonly store: StoreAnswer;
  readonly verdict: ReapVerdict;
}

export interface JudgeOptions {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly limits: ReapLimits;
}

/** Sessions asked about in one request. */
export const SESSIONS_PER_QUESTION = 500;

/** Reads the clock after the store has answered: a host may have fallen silent meanwhile. */
export async function judgeAll(hosts: readonly HeardHost[], options: JudgeOptions): Promise<readonly Judged[]> {
  const all = hosts.flatMap((host) => host.sessions.map((session) => ({ host, session })));
  const judged: Judged[] = [];
  for (let from = 0; from < all.length; from += SESSIONS_PER_QUESTION) {
    const some = all.slice(from, from + SESSIONS_PER_QUESTION);
    const answers = await options.store.answers(questionAbout(some.map(({ session }) => session)));
    for (const { host, session } of some) judged.push(judge({ host, session, store: answerFor(session, answers) }, options));
  }
  return judged;
}

/** Judges one session again, e.g. after a probe corrected it. */
export function judge(facts: Omit<Judged, 'verdict'>, { clock, limits }: Pick<JudgeOptions, 'clock' | 'limits'>): Judged {
  const { host, session, store } = facts;
  const decided = decideReap({ session, store, heard: host.heard, liveSessions: host.liveSessions, now: clock.monotonicMs(), limits });
  const { hostId } = host;
  const { sessionId, epoch } = session;
  const verdict: ReapVerdict = {
    hostId,
    sessionId,
    epoch,
    do: decided.do,
    why: decided.why,
    evidence: { ...decided.evidence },
    ...(decided.do === 'reap' ? { class: decided.class } : {}),
  };
  return { ...facts, verdict };
}

function questionAbout(sessions: readonly InventorySession[]): Parameters<TaskStore['answers']>[0] {
  const taskIds = sessions.flatMap((session) => namedTaskId(session) ?? []);
  return { taskIds: [...new Set(taskIds)], sessionIds: [...new Set(sessions.map(({ sessionId }) => sessionId))] };
}

function answerFor(session: InventorySession, answers: StoreAnswers | undefined): StoreAnswer {
  if (!answers) return { silent: true };
  const taskId = namedTaskId(session);
  return {
    silent: false,
    task: answers.tasks.find((task) => task.taskId === taskId),
    record: answers.records.find((record) => record.sessionId === session.sessionId),
  };
}
