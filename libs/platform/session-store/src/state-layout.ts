/** Where everything lies in the state directory: the one place that knows the names. */
import { invariant, isId } from '@holdfast/kernel';
import { join } from 'node:path';

/** The state directory is the truth about sessions; nothing in it depends on the runtime directory. */
export class StateLayout {
  constructor(readonly stateDir: string) {}

  /** One directory per session id. */
  get sessionsDir(): string {
    return join(this.stateDir, 'sessions');
  }
  sessionDir(sessionId: string): string {
    return join(this.sessionsDir, safeName(sessionId));
  }
  /** The session's record: temp + rename, written by the supervisor only. */
  manifestFile(sessionId: string): string {
    return join(this.sessionDir(sessionId), 'session.json');
  }
  /** Which facts about the session the broker has; written by the supervisor only. */
  sentFactsFile(sessionId: string): string {
    return join(this.sessionDir(sessionId), 'facts.json');
  }
  /** Journal and exit record of one incarnation; written by its holder only. */
  epochDir(sessionId: string, epoch: number): string {
    return join(this.sessionDir(sessionId), String(epoch));
  }
  exitFile(sessionId: string, epoch: number): string {
    return join(this.epochDir(sessionId, epoch), 'exit.json');
  }
  /** A file per id that was purged and is never given again. */
  get tombstonesDir(): string {
    return join(this.stateDir, 'tombstones');
  }
  tombstoneFile(sessionId: string): string {
    return join(this.tombstonesDir, safeName(sessionId));
  }
  /** A file per session that was purged before the broker had all facts about it. */
  get unsentFactsDir(): string {
    return join(this.stateDir, 'unsent-facts');
  }
  unsentFactsFile(sessionId: string): string {
    return join(this.unsentFactsDir, safeName(sessionId));
  }
  get holderDir(): string {
    return join(this.stateDir, 'holder');
  }
  /** Copies of holder bundles, one directory per build, so that an upgrade in place breaks no running holder. */
  get holderBuildsDir(): string {
    return join(this.holderDir, 'builds');
  }
  holderBuildDir(build: string): string {
    return join(this.holderBuildsDir, build);
  }
  /** What a holder is started with and known by afterwards. */
  holderRecordFile(holderId: string): string {
    return join(this.holderDir, `${safeName(holderId)}.json`);
  }
  holderLogFile(holderId: string): string {
    return join(this.holderDir, `${safeName(holderId)}.log`);
  }
  get supervisorLockFile(): string {
    return join(this.stateDir, 'supervisor.lock');
  }
  get upLockFile(): string {
    return join(this.stateDir, 'up.lock');
  }
  get hostIdFile(): string {
    return join(this.stateDir, 'host-id');
  }
  /** The supervisor's term: a growing count. */
  get termFile(): string {
    return join(this.stateDir, 'term');
  }
  get operatorTokenFile(): string {
    return join(this.stateDir, 'operator.token');
  }
  get upStateFile(): string {
    return join(this.stateDir, 'up.json');
  }
  get logsDir(): string {
    return join(this.stateDir, 'logs');
  }
  get natsDir(): string {
    return join(this.stateDir, 'nats');
  }
}

/** Ids are checked at every entry; one that could leave its directory here is a bug. */
function safeName(id: string): string {
  invariant(isId(id), `"${id}" is no id`);
  return id;
}
