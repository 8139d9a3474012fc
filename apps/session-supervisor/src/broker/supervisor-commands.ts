/** What task service and reaper may ask of this host over the broker: the same use cases that the link has. */
import type { CommandHandlers } from '@holdfast/platform-messaging';
import type { Log } from '@holdfast/platform-observability';
import type { ReapSession } from '../reap/reap-session.use-case.js';
import type { CreateSession } from '../session/create-session.use-case.js';
import type { KillSession } from '../session/kill-session.use-case.js';
import type { ProbeSession } from '../session/probe-session.use-case.js';
import type { SessionRegistry } from '../session/session.registry.js';

export interface CommandParts {
  readonly hostId: string;
  readonly registry: SessionRegistry;
  readonly creating: CreateSession;
  readonly killing: KillSession;
  readonly probing: ProbeSession;
  readonly reaping: ReapSession;
}

/** Stale commands were refused before: their sender has given them up. */
export function supervisorCommands(parts: CommandParts, log: Log): CommandHandlers<'session-supervisor'> {
  const { hostId, registry, creating, killing, probing, reaping } = parts;
  return {
    launch: async ({ spec, attempt }) => {
      const { session, created } = await creating.run(spec);
      log.info('session.launched', { sessionId: session.id, attempt, created });
      return { session: session.view(hostId) };
    },
    get: async ({ sessionId }) => {
      const session = registry.require(sessionId);
      await session.settled;
      return { session: session.view(hostId) };
    },
    kill: async ({ sessionId, epoch, graceMs, by, reason }) => {
      log.info('session.kill-asked', { sessionId, epoch, by, reason });
      return { report: await killing.run({ sessionId, epoch, ...(graceMs === undefined ? {} : { graceMs }) }) };
    },
    probe: (handle) => probing.run(handle),
    reap: (request) => reaping.run(request),
  };
}
