/** Creates a session: written down before it is spawned, once per id, whatever is repeated or fails. */
import type { Backend, CreateSession as CreateRequest } from '@holdfast/contracts';
import type { Spawned } from '@holdfast/attach-protocol';
import { ServiceError, newSessionId } from '@holdfast/kernel';
import { randomBytes } from 'node:crypto';
import type { HolderRef, Placement, TerminalBackend } from '../backend/terminal-backend.port.js';
import type { Clock } from '../host/clock.js';
import { type LiveSession } from './live-session.js';
import type { ManifestRepository } from '../manifest/manifest.repository.js';
import type { Manifest } from '../manifest/manifest.schema.js';
import { isRenewable } from './session-ages.js';
import type { SessionKeeper } from './session-keeper.js';
import { isSameSpec, normaliseSpec, specOf, type NormalisedSpec, type SessionSpec } from '../manifest/session-spec.js';
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
  /** What could not be made durable of a session that runs all the same. */
  onDiskTrouble(session: LiveSession, error: unknown): void;
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
    if (existing) return { session: await this.repeat(existing, spec), created: false };
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

  /** @throws ServiceError `session.conflict`. */
  private async repeat(session: LiveSession, spec: SessionSpec): Promise<LiveSession> {
    if (!isSameSpec(spec, session.manifest.spec, session.manifest.backend))
      throw new ServiceError('session.conflict', `session ${session.id} exists with another spec`);
    if (!isRenewable(session.manifest)) return session;
    const { bootId, clock } = this.options;
    session.manifest = { ...session.manifest, renewedBoot: { bootId, ms: clock.bootMs() } };
    await this.manifests.save(session.manifest);
    return session;
  }

  /**
   * The manifest is in place before the spawn, so that no death of ours leaves a session that nobody knows; that the disk has it is
   * waited for while the holder spawns, since a machine that dies takes the session with it. What the spawn answered reaches the
   * disk after the create was answered: the holder can tell it again.
   */
  private async spawn(manifest: Manifest, backend: TerminalBackend, placement: Placement): Promise<LiveSession> {
    await this.writeDown(manifest);
    const session = this.options.makeSession(manifest, backend);
    this.registry.add(session);
    try {
      const startedAt = this.options.clock.wallTime();
      const durable = this.manifests.sync(session.id);
      const [spawned, synced] = await Promise.allSettled([placement.spawn(this.spawnSpec(manifest)), durable]);
      if (spawned.status === 'rejected') throw spawned.reason;
      if (synced.status === 'rejected') this.options.onDiskTrouble(session, synced.reason);
      this.begin(session, spawned.value, startedAt);
      return session;
    } catch (error) {
      await this.afterFailure(session, ServiceError.from(error));
      throw error;
    }
  }

  /** A disk that refuses leaves nothing behind: the id is not used up. */
  private async writeDown(manifest: Manifest): Promise<void> {
    try {
      this.manifests.writeAhead(manifest);
    } catch (error) {
      await this.manifests.remove(manifest.sessionId);
      throw error;
    }
  }

  /**
   * It runs, and counts as started when its spawn was asked for: a short command ends before that is answered. A disk that refuses to
   * say so changes nothing, since the next start finds it out from its holder.
   */
  private begin(session: LiveSession, { cwd, pid, startTime }: Spawned, startedAt: string): void {
    session.manifest = { ...session.manifest, state: 'running', cwd, leader: { pid, startTime }, startedAt };
    const onTrouble = (error: unknown): void => this.options.onDiskTrouble(session, error);
    try {
      this.manifests.writeAhead(session.manifest);
      this.manifests.sync(session.id).catch(onTrouble);
    } catch (error) {
      onTrouble(error);
    }
    this.keeper.keep(session);
  }

  /** Refused: nothing is left. Unknown: the keeper finds out, and the same create again returns what it found. */
  private async afterFailure(session: LiveSession, error: ServiceError): Promise<void> {
    if (error.retry === 'unknown') return this.keeper.resolvePending(session);
    await this.manifests.remove(session.id);
    this.registry.remove(session.id);
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

/** Nothing happened, and another holder may do it. */
function isElsewherePossible(error: unknown): boolean {
  return error instanceof ServiceError && error.retry === 'safe' && (error.code === 'holder.full' || error.code === 'holder.unreachable');
}
