/** What the link can ask of sessions, without a connection: each verb as a call. */
import type { LinkVerbs, Session } from '@holdfast/contracts';
import { MAX_INPUT_BYTES } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import type { InputAccepted, InputOrigin, SessionHandle } from '../backend/terminal-backend.port.js';
import type { CreateSession } from '../session/create-session.use-case.js';
import type { KillSession } from '../session/kill-session.use-case.js';
import type { LiveSession } from '../session/live-session.js';
import type { SessionRegistry } from '../session/session.registry.js';
import { readOutput, type OutputRead } from '../stream/output-reader.js';
import type { LinkRequest } from './link-requests.schema.js';

export class SessionVerbs {
  constructor(
    private readonly hostId: string,
    private readonly registry: SessionRegistry,
    private readonly creating: CreateSession,
    private readonly killing: KillSession,
  ) {}

  list(): LinkVerbs['list'][1] {
    return { sessions: this.registry.all().map((session) => this.view(session)) };
  }

  async get(request: LinkRequest<'get'>): Promise<LinkVerbs['get'][1]> {
    return { session: this.view(await this.settled(request.sessionId)) };
  }

  async create(request: LinkRequest<'create'>): Promise<LinkVerbs['create'][1]> {
    const { session, created } = await this.creating.run(request.spec);
    return { session: this.view(session), created };
  }

  async kill(request: LinkRequest<'kill'>): Promise<LinkVerbs['kill'][1]> {
    const { sessionId, epoch, graceMs, purge } = request;
    const wish = { sessionId, ...(epoch === undefined ? {} : { epoch }), ...(graceMs === undefined ? {} : { graceMs }) };
    return { report: await this.killing.run({ ...wish, ...(purge === undefined ? {} : { purge }) }) };
  }

  read(request: LinkRequest<'read'>): Promise<OutputRead> {
    const session = this.session(request.sessionId, request.epoch);
    const { from, limit } = request;
    return readOutput(session.stream, { epoch: session.manifest.epoch, limit, ...(from === undefined ? {} : { from }) });
  }

  /** Keeps the order of calls. */
  async write(session: LiveSession, bytes: Uint8Array, origin?: InputOrigin): Promise<InputAccepted> {
    if (bytes.length > MAX_INPUT_BYTES)
      throw new ServiceError('request.too-large', `${bytes.length} bytes of input, the limit is ${MAX_INPUT_BYTES}`);
    if (!session.isSettled) await session.settled;
    return this.withHandle(session, (handle) => (origin ? handle.write(bytes, origin) : handle.write(bytes)));
  }

  async resize(request: LinkRequest<'resize'>): Promise<LinkVerbs['resize'][1]> {
    const session = await this.settled(request.sessionId, request.epoch);
    const { offset } = await this.withHandle(session, (handle) => handle.resize(request.cols, request.rows));
    return { offset };
  }

  /** Last sequence number applied for a viewer; 0 where nobody can type any more. */
  async lastSequence(session: LiveSession, viewerId: string, mode: 'read' | 'write'): Promise<number> {
    await session.ending;
    if (session.isEnded || mode === 'read') return 0;
    return this.withHandle(session, (handle) => handle.lastSequence(viewerId));
  }

  /** @throws ServiceError `session.not-found`, `session.stale-handle`. */
  session(sessionId: string, epoch?: number): LiveSession {
    const session = this.registry.require(sessionId);
    session.requireEpoch(epoch);
    return session;
  }

  /** The same, once its holder was tried: at most a connect deadline after our start. */
  async settled(sessionId: string, epoch?: number): Promise<LiveSession> {
    const session = this.session(sessionId, epoch);
    if (!session.isSettled) await session.settled;
    return this.session(sessionId, epoch);
  }

  private view(session: LiveSession): Session {
    return session.view(this.hostId);
  }

  /** A connection that breaks because the session ended is no mystery. */
  private async withHandle<T>(session: LiveSession, work: (handle: SessionHandle) => Promise<T>): Promise<T> {
    if (session.ending) await session.ending;
    try {
      return await work(session.requireHandle());
    } catch (error) {
      if (ServiceError.from(error).code !== 'link.closed') throw error;
      await session.ending;
      throw session.isEnded ? endedError(session, error) : unreachableError(session, error);
    }
  }
}

function endedError(session: LiveSession, cause: unknown): ServiceError {
  return new ServiceError('session.ended', `session ${session.id} has ended`, { cause });
}

/** By our own code, since the asker would take a bare \`link.closed\` for its link to us. Whether it was done, nobody knows. */
function unreachableError(session: LiveSession, cause: unknown): ServiceError {
  return new ServiceError('holder.unreachable', `the holder of session ${session.id} broke off`, { cause, retry: 'unknown' });
}
