/** Keeps every running session attached to its stream, whatever its holder does, until it has ended. */
import { ServiceError } from '@holdfast/kernel';
import type { SessionHandle } from '../backend/terminal-backend.port.js';
import type { Clock } from '../host/clock.js';
import type { Log } from '@holdfast/platform-observability';
import { DEFAULT_GRACE_MS } from '../processes/tree-killer.js';
import type { LiveSession } from './live-session.js';
import type { ManifestRepository } from '../manifest/manifest.repository.js';
import { startMomentOf } from './session-ages.js';
import type { SessionEnding } from './session-ending.js';
import type { SessionRegistry } from './session.registry.js';

const FIRST_RETRY_MS = 20;
/** A holder that comes back is noticed within this. */
const LONGEST_RETRY_MS = 250;

export interface KeeperParts {
  readonly registry: SessionRegistry;
  readonly manifests: ManifestRepository;
  readonly ending: SessionEnding;
  readonly clock: Clock;
  readonly log: Log;
}

export class SessionKeeper {
  private stopped = false;

  constructor(private readonly parts: KeeperParts) {}

  /** Takes up a session found on disk; returns at once, each session goes its own way. */
  adopt(session: LiveSession): void {
    if (session.manifest.state === 'pending') return this.resolvePending(session);
    if (!session.isEnded) return this.keep(session);
    session.settle();
    void session.backend.forget(session.ref);
    this.parts.ending.tendLeftovers(session);
    if (session.manifest.end?.leftovers.length) void this.attachOnce(session);
  }

  /** Attaches, and again whenever the connection breaks, until the session has ended. */
  keep(session: LiveSession): void {
    void this.run(session);
  }

  /** Finds out whether a session whose spawn was never answered is there. */
  resolvePending(session: LiveSession): void {
    void this.runPending(session);
  }

  /** Detaches from everything; sessions live on. */
  stop(): void {
    this.stopped = true;
    for (const session of this.parts.registry.all()) session.handle?.dispose();
  }

  private async run(session: LiveSession): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (!this.stopped && !session.isEnded) {
      const failure = await this.attachOnce(session);
      if (!failure) retryMs = FIRST_RETRY_MS;
      if (this.stopped || session.isEnded) return;
      if ((await session.backend.isAlive(session.ref)) === 'dead') return this.parts.ending.gone(session);
      if (failure && retryMs === FIRST_RETRY_MS) this.report(session, failure);
      session.settle();
      await this.parts.clock.pause(retryMs);
      retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
    }
  }

  /** One attachment from beginning to end, or why there was none. */
  private async attachOnce(session: LiveSession): Promise<ServiceError | undefined> {
    let handle: SessionHandle;
    try {
      handle = await session.backend.attachSession(session.ref);
    } catch (error) {
      return ServiceError.from(error);
    }
    if (this.stopped) {
      handle.dispose();
      return undefined;
    }
    await this.pass(session, handle);
    session.handle = undefined;
    await this.parts.ending.finished(session);
    if (session.isEnded) await session.backend.forget(session.ref);
    session.releaseStream();
    return undefined;
  }

  /** Passes what the holder sends on to the stream; resolves when the connection is over. */
  private pass(session: LiveSession, handle: SessionHandle): Promise<void> {
    const { stream } = session;
    session.handle = handle;
    stream.attachedAt(handle.start);
    session.settle();
    return new Promise((resolve) => {
      handle.onEvent((event) => {
        if (event.type === 'resized') stream.resized(event);
        else if (event.type === 'durable') stream.durableTo(event.offset);
        else if (event.type === 'recording') stream.recordingStopped = event.stopped;
        else if (event.type === 'closed') resolve();
      });
      handle.onExit((record) => void this.parts.ending.exited(session, record));
      handle.onData((offset, bytes) => stream.append(offset, bytes));
    });
  }

  private async runPending(session: LiveSession): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (!this.stopped) {
      const alive = await session.backend.isAlive(session.ref);
      if (alive === 'dead') return this.dropPending(session);
      const leader = alive === 'alive' ? await session.backend.leaderOf(session.ref).catch(() => undefined) : undefined;
      if (leader) {
        const startedAt = startMomentOf(leader, this.parts.clock).wallTime;
        session.manifest = { ...session.manifest, state: 'running', leader, startedAt };
        await this.save(session);
        return this.keep(session);
      }
      session.settle();
      await this.parts.clock.pause(retryMs);
      retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
    }
  }

  /** No holder has it: it never was, or it ended already, recorded or with its holder. */
  private async dropPending(session: LiveSession): Promise<void> {
    if (this.parts.ending.hasExit(session)) {
      session.manifest = { ...session.manifest, state: 'running', startedAt: session.manifest.createdAt };
      return this.parts.ending.gone(session);
    }
    await session.backend.killSession(session.ref, { graceMs: DEFAULT_GRACE_MS, known: [] });
    await this.parts.manifests.remove(session.id);
    this.parts.registry.remove(session.id);
    session.settle();
    this.parts.log.info('session.pending-removed', { sessionId: session.id });
  }

  /** A full disk changes nothing for a session that runs: what could not be written is found out again at the next start. */
  private async save(session: LiveSession): Promise<void> {
    try {
      await this.parts.manifests.save(session.manifest);
    } catch (error) {
      this.parts.log.error('session.not-saved', { sessionId: session.id, why: ServiceError.from(error).message });
    }
  }

  private report(session: LiveSession, error: ServiceError): void {
    this.parts.log.warn('session.attach-failed', { sessionId: session.id, code: error.code, why: error.message });
  }
}
