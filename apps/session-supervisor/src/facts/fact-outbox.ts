/** Brings every fact about sessions to the broker, at least once and in order per session, however long the broker is away. */
import { factSubjects } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import type { CloudEvent } from '@holdfast/platform-messaging';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../host/clock.js';
import type { Log } from '@holdfast/platform-observability';
import type { SessionRegistry } from '../session/session.registry.js';
import type { FactLedger } from './fact-ledger.js';
import type { AnySessionFact } from './session-facts.js';

export const FIRST_RETRY_MS = 100;
export const LONGEST_RETRY_MS = 5_000;

export interface OutboxOptions {
  readonly hostId: string;
  /** Subject root of the instance. */
  readonly root: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Resolves once the broker has the event on disk. @throws when that is not known. */
  publish(subject: string, event: CloudEvent): Promise<unknown>;
}

export class FactOutbox {
  /** Sessions that may have unsent facts, first come first served. */
  private readonly waiting = new Set<string>();
  private stopped = false;
  private wakeUp: () => void = () => {};
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: OutboxOptions,
    private readonly ledger: FactLedger,
    private readonly registry: SessionRegistry,
  ) {}

  /** Looks through all sessions once: whatever a predecessor left unsent goes out. Returns at once. */
  start(): void {
    for (const sessionId of this.ledger.purgedIds()) this.waiting.add(sessionId);
    for (const session of this.registry.all()) this.waiting.add(session.id);
    this.running = this.run();
  }

  /** The session changed, or was purged. */
  note(sessionId: string): void {
    this.waiting.add(sessionId);
    if (this.waiting.size === 1) this.wakeUp();
  }

  /** The broker is back: whatever waits is tried now. */
  wake(): void {
    this.wakeUp();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wakeUp();
    await this.running;
  }

  private async run(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (!this.stopped) {
      const [sessionId] = this.waiting;
      if (sessionId === undefined) await this.signal();
      else if (await this.tryToSend(sessionId)) retryMs = FIRST_RETRY_MS;
      else {
        await Promise.race([this.signal(), this.options.clock.pause(retryMs)]);
        retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
      }
    }
  }

  /** False: it waits still, since the broker did not take all. */
  private async tryToSend(sessionId: string): Promise<boolean> {
    this.waiting.delete(sessionId);
    try {
      await nextTurn();
      await this.sendAll(sessionId);
      return true;
    } catch (error) {
      this.waiting.add(sessionId);
      const { code } = ServiceError.from(error);
      if (code !== 'service.unreachable') this.options.log.warn('facts.delayed', { sessionId, waiting: this.waiting.size, why: code });
      return false;
    }
  }

  private async sendAll(sessionId: string): Promise<void> {
    const kept = this.ledger.keptOf(sessionId);
    for (const fact of kept) await this.send(sessionId, fact);
    if (kept.length > 0) this.ledger.dropKept(sessionId);
    const manifest = this.registry.get(sessionId)?.manifest;
    if (!manifest) return;
    for (const fact of this.ledger.unsentOf(manifest)) {
      await this.send(sessionId, fact);
      if (this.registry.get(sessionId)) this.ledger.markSent(sessionId, fact.id);
    }
  }

  /** A fact over the broker's largest message (a report of thousands of processes) must not hold up the rest. */
  private async send(sessionId: string, { id, verb, data }: AnySessionFact): Promise<void> {
    const { root, hostId, log } = this.options;
    try {
      await this.options.publish(factSubjects.session(root, sessionId, verb), {
        specversion: '1.0',
        id,
        source: `/session-supervisor/${hostId}`,
        type: `holdfast.session.${verb}`,
        subject: sessionId,
        time: data.at,
        datacontenttype: 'application/json',
        data,
      });
    } catch (error) {
      if (ServiceError.from(error).code !== 'request.too-large') throw error;
      log.error('facts.too-large', { sessionId, factId: id });
    }
  }

  private signal(): Promise<void> {
    if (this.stopped) return Promise.resolve();
    return new Promise((resolve) => (this.wakeUp = resolve));
  }
}
