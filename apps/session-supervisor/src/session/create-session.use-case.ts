/** Creates a session: written down before it is spawned, once per id, whatever is repeated or fails. */
import type { Backend, CreateSession as CreateRequest } from '@holdfast/contracts';
import { ServiceError, newSessionId } from '@holdfast/kernel';
import { randomBytes } from 'node:crypto';
import type { HolderRef, Placement, TerminalBackend } from '../backend/terminal-backend.port.js';
import type { Clock } from '../host/clock.js';
import { type LiveSession } from './live-session.js';
import type { ManifestRepository } from './manifest.repository.js';
import type { Manifest } from './manifest.schema.js';
import type { SessionKeeper } from './session-keeper.js';
import { isSameSpec, normaliseSpec, specOf, type NormalisedSpec, type SessionSpec } from './session-spec.js';
import type { SessionRegistry } from './session.registry.js';

/** A holder may fill up or go away between placement and spawn. */
const PLACEMENTS = 3;

export interface CreateOptions {
  readonly hostId: string;
  readonly bootId: string;
  readonly defaultBackend: Backend;
  readonly journalBytes: number;
  readonly clock: Clock;
  backendOf(name: Backend): TerminalBackend | undefined;
  /** A session in memory with the stream of that manifest. */
  makeSession(manifest: Manifest, backend: TerminalBackend): LiveSession;
}

export interface Created {
  readonly session: LiveSession;
  /** False when the id was there already, with the same spec. */
  readonly created: boolean;
}

export class CreateSession {
  private readonly running = new Map<string, Promise<Created>>();

  constructor(
    private readonly options: CreateOptions,
    private readonly registry: SessionRegistry,
    private readonly manifests: ManifestRepository,
    private readonly keeper: SessionKeeper,
  ) {}

  /**
   * @throws ServiceError `session.conflict`, `session.id-used`, `backend.unavailable`, `request.invalid`, the spawn's refusals by
   * type (nothing is left behind), `holder.start-failed`, or an unknown outcome: the same create again says what became of it.
   */
  async run(create: CreateRequest): Promise<Created> {
    const sessionId = create.sessionId ?? newSessionId();
    for (let other = this.running.get(sessionId); other; other = this.running.get(sessionId)) await other.catch(() => undefined);
    const work = this.createOnce(sessionId, create).finally(() => this.running.delete(sessionId));
    this.running.set(sessionId, work);
    return work;
  }

  private async createOnce(sessionId: string, create: CreateRequest): Promise<Created> {
    const spec = specOf(create);
    const existing = this.registry.get(sessionId);
    if (existing) return { session: requireSame(existing, spec), created: false };
    const { hostId, defaultBackend } = this.options;
    if (create.hostId !== undefined && create.hostId !== hostId)
      throw new ServiceError('request.invalid', `this is host ${hostId}, not ${create.hostId}`);
    if (this.manifests.tombstoneOf(sessionId) || this.manifests.hasRemains(sessionId))
      throw new ServiceError('session.id-used', `session id ${sessionId} was used before`);
    const name = spec.backend ?? defaultBackend;
    const backend = this.options.backendOf(name);
    if (!backend) throw new ServiceError('backend.unavailable', `backend ${name} is not available on host ${hostId}`);
    return { session: await this.place(sessionId, spec, backend), created: true };
  }

  private async place(sessionId: string, spec: SessionSpec, backend: TerminalBackend): Promise<LiveSession> {
    const dedicated = spec.isolation === 'dedicated';
    for (let attempt = 1; ; attempt += 1) {
      const placement = await backend.createSession({ dedicated });
      try {
        return await this.spawn(this.pending(sessionId, spec, backend, placement.holder), backend, placement);
      } catch (error) {
        if (!isElsewherePossible(error) || attempt === PLACEMENTS) throw error;
      } finally {
        placement.release();
      }
    }
  }

  private pending(sessionId: string, spec: SessionSpec, backend: TerminalBackend, holder: HolderRef): Manifest {
    const { bootId, clock } = this.options;
    return {
      version: 1,
      sessionId,
      epoch: 1,
      state: 'pending',
      backend: backend.name,
      spec,
      mark: randomBytes(16).toString('hex'),
      holder: { id: holder.id, identity: { ...holder.identity } },
      createdAt: clock.wallTime(),
      createdBoot: { bootId, ms: clock.bootMs() },
    };
  }

  private async spawn(manifest: Manifest, backend: TerminalBackend, placement: Placement): Promise<LiveSession> {
    this.manifests.save(manifest);
    const session = this.options.makeSession(manifest, backend);
    this.registry.add(session);
    try {
      const { cwd, pid, startTime } = await placement.spawn(this.spawnSpec(manifest));
      session.manifest = { ...manifest, state: 'running', cwd, leader: { pid, startTime }, startedAt: this.options.clock.wallTime() };
      this.manifests.save(session.manifest);
      this.keeper.keep(session);
      return session;
    } catch (error) {
      this.afterFailure(session, ServiceError.from(error));
      throw error;
    }
  }

  /** Refused: nothing is left. Unknown: the keeper finds out, and the same create again returns what it found. */
  private afterFailure(session: LiveSession, error: ServiceError): void {
    if (error.retry === 'unknown') return this.keeper.resolvePending(session);
    this.registry.remove(session.id);
    this.manifests.remove(session.id);
    session.settle();
  }

  private spawnSpec(manifest: Manifest): Parameters<Placement['spawn']>[0] {
    const spec: NormalisedSpec = normaliseSpec(manifest.spec, manifest.backend);
    const { sessionId, epoch, mark } = manifest;
    return {
      sessionId,
      epoch,
      mark,
      command: spec.command,
      env: spec.env,
      cols: spec.cols,
      rows: spec.rows,
      journalBytes: this.options.journalBytes,
      ...(spec.cwd === undefined ? {} : { cwd: spec.cwd }),
    };
  }
}

function requireSame(session: LiveSession, spec: SessionSpec): LiveSession {
  if (isSameSpec(spec, session.manifest.spec, session.manifest.backend)) return session;
  throw new ServiceError('session.conflict', `session ${session.id} exists with another spec`);
}

/** Nothing happened, and another holder may do it. */
function isElsewherePossible(error: unknown): boolean {
  return error instanceof ServiceError && error.retry === 'safe' && (error.code === 'holder.full' || error.code === 'holder.unreachable');
}
