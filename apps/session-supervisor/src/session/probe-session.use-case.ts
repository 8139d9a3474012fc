/** Says whether a handle lives, as seen now: silence is never death. */
import type { CommandAnswer } from '@holdfast/contracts';
import type { TerminalBackend } from '../backend/terminal-backend.port.js';
import type { Clock } from '../host/clock.js';
import type { LiveSession } from './live-session.js';
import { agesOf } from './session-ages.js';
import type { SessionRegistry } from './session.registry.js';

export type ProbeAnswer = CommandAnswer<'session-supervisor', 'probe'>;

export interface ProbeParts {
  readonly hostId: string;
  readonly bootId: string;
  readonly clock: Clock;
  readonly backends: readonly TerminalBackend[];
}

export class ProbeSession {
  constructor(
    private readonly parts: ProbeParts,
    private readonly registry: SessionRegistry,
  ) {}

  /** Takes as long as its holder to answer, or to be given up. */
  async run({ sessionId, epoch }: { readonly sessionId: string; readonly epoch: number }): Promise<ProbeAnswer> {
    const session = this.registry.get(sessionId);
    if (!session) return { alive: await this.isAnywhere(sessionId), ageMs: null };
    const { bootId, clock, hostId } = this.parts;
    const alive = session.manifest.epoch === epoch ? await this.isAlive(session) : 'dead';
    return { alive, session: session.view(hostId), ...agesOf(session.manifest, { bootId, ms: clock.bootMs() }) };
  }

  /** A spawn under way may still come. */
  private async isAlive(session: LiveSession): Promise<ProbeAnswer['alive']> {
    await session.settled;
    if (session.isEnded) return 'dead';
    return session.manifest.state === 'pending' ? 'unknown' : session.backend.isAlive(session.ref);
  }

  /** Unknown here, it may be held by a holder that has not been heard yet. */
  private async isAnywhere(sessionId: string): Promise<'dead' | 'unknown'> {
    const listings = await Promise.all(this.parts.backends.map((backend) => backend.listSessions()));
    return listings.every((listing) => listing.known && !listing.ids.includes(sessionId)) ? 'dead' : 'unknown';
  }
}
