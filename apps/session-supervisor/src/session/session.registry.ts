/** The sessions of this host, by id. */
import { ServiceError } from '@holdfast/kernel';
import type { LiveSession } from './live-session.js';

export class SessionRegistry {
  private readonly sessions = new Map<string, LiveSession>();

  get(sessionId: string): LiveSession | undefined {
    return this.sessions.get(sessionId);
  }

  /** @throws ServiceError `session.not-found`. */
  require(sessionId: string): LiveSession {
    const session = this.sessions.get(sessionId);
    if (!session) throw new ServiceError('session.not-found', `no session ${sessionId}`);
    return session;
  }

  add(session: LiveSession): void {
    this.sessions.set(session.id, session);
  }

  remove(sessionId: string): void {
    this.sessions.delete(sessionId);
  }

  /** By id, which is by time of creation for ids we made. */
  all(): readonly LiveSession[] {
    return [...this.sessions.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}
