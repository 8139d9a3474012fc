/** Supervisors as the task service uses them, each by its host. */
import type { CommandAnswer, CommandRequest, Session } from '@holdfast/contracts';
import type { CommandClient } from '@holdfast/platform-messaging';

type Request<V extends 'launch' | 'kill'> = CommandRequest<'session-supervisor', V>;

/** Every call may be repeated, has a deadline, and throws a `ServiceError`. */
export interface SupervisorPort {
  /** Gives the session when it is there already. */
  launch(hostId: string, request: Request<'launch'>): Promise<Session>;
  get(hostId: string, sessionId: string): Promise<Session>;
  kill(hostId: string, request: Request<'kill'>): Promise<CommandAnswer<'session-supervisor', 'kill'>['report']>;
}

/** A start takes milliseconds with a warm holder, and seconds on a host that must start one. */
const LAUNCH_DEADLINE_MS = 10_000;
/** Covers the grace between TERM and KILL. */
const KILL_DEADLINE_MS = 25_000;
/** A command that arrives later than its answer is awaited is refused; clocks of two hosts differ by less than the rest. */
export const LAUNCH_NOT_AFTER_MS = 2 * LAUNCH_DEADLINE_MS;
export const KILL_NOT_AFTER_MS = 2 * KILL_DEADLINE_MS;

export function supervisorCommands(client: CommandClient): SupervisorPort {
  return {
    launch: async (hostId, request) =>
      (await client.request('session-supervisor', 'launch', request, { hostId, deadlineMs: LAUNCH_DEADLINE_MS })).session,
    get: async (hostId, sessionId) => (await client.request('session-supervisor', 'get', { sessionId }, { hostId })).session,
    kill: async (hostId, request) =>
      (await client.request('session-supervisor', 'kill', request, { hostId, deadlineMs: KILL_DEADLINE_MS })).report,
  };
}
