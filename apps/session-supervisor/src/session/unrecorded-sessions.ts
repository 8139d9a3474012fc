/** Takes up sessions that a holder has and no manifest knows (a corrupt one, a crash): visible, unowned, left to the reaper. */
import type { FoundSession, TerminalBackend } from '../backend/terminal-backend.port.js';
import type { Clock } from '../host/clock.js';
import type { Log } from '@holdfast/platform-observability';
import type { ProcessRef } from '../processes/process-snapshot.js';
import type { LiveSession } from './live-session.js';
import type { ManifestRepository } from '../manifest/manifest.repository.js';
import type { Manifest } from '../manifest/manifest.schema.js';
import { startMomentOf } from './session-ages.js';
import type { SessionKeeper } from './session-keeper.js';
import type { SessionRegistry } from './session.registry.js';

/** Owner of what nobody is known to have asked for; with no time to live, the reaper takes it. */
export const UNRECORDED_OWNER = 'service:unrecorded';

export interface UnrecordedOptions {
  readonly bootId: string;
  readonly clock: Clock;
  readonly log: Log;
  /** What the leader itself tells of its session; undefined when it is gone or not ours to read. */
  describe(leader: ProcessRef): { readonly command: readonly string[]; readonly mark: string } | undefined;
  makeSession(manifest: Manifest, backend: TerminalBackend): LiveSession;
}

export class UnrecordedSessions {
  constructor(
    private readonly options: UnrecordedOptions,
    private readonly registry: SessionRegistry,
    private readonly manifests: ManifestRepository,
    private readonly keeper: SessionKeeper,
  ) {}

  /** Does nothing for a session that is known, was purged, or ends by itself. */
  adopt(found: FoundSession, backend: TerminalBackend): void {
    const { sessionId } = found;
    if (this.registry.get(sessionId) || this.manifests.tombstoneOf(sessionId)) return;
    const facts = this.options.describe(found.leader);
    if (!facts) return;
    const manifest = this.manifestOf(found, facts.command, facts.mark, backend);
    this.manifests.writeAhead(manifest);
    const session = this.options.makeSession(manifest, backend);
    this.registry.add(session);
    this.keeper.keep(session);
    this.options.log.warn('session.adopted-unrecorded', { sessionId, pid: found.leader.pid, holderId: found.holder.id });
  }

  private manifestOf(found: FoundSession, command: readonly string[], mark: string, backend: TerminalBackend): Manifest {
    const { bootId, clock } = this.options;
    const started = startMomentOf(found.leader, clock);
    return {
      version: 1,
      sessionId: found.sessionId,
      epoch: found.epoch,
      state: 'running',
      backend: backend.name,
      spec: { command: [...command], owner: UNRECORDED_OWNER, ttlMs: 0 },
      mark,
      holder: { id: found.holder.id, identity: { ...found.holder.identity } },
      leader: { ...found.leader },
      recorded: false,
      createdAt: started.wallTime,
      createdBoot: { bootId, ms: started.bootMs },
      startedAt: started.wallTime,
    };
  }
}
