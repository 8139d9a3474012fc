/** Keeps the reaper's events until the broker has them, in order, and tries again while it is away. */
import { factSubjects, type ReaperAuditEntry } from '@holdfast/contracts';
import { cloudEvent, type CloudEvent } from '@holdfast/platform-messaging';
import type { Log } from '@holdfast/platform-observability';

/** Newer events push out older ones beyond this; the audit log has them all. */
export const MAX_WAITING_EVENTS = 1_000;
const RETRY_PAUSE_MS = 1_000;

export interface EventOutboxOptions {
  /** Resolves once the event is stored. @throws when it is not known to be. */
  readonly publish: (subject: string, event: CloudEvent) => Promise<unknown>;
  readonly root: string;
  readonly log: Log;
  readonly retryPauseMs?: number;
}

export class EventOutbox {
  private readonly waiting: { readonly subject: string; readonly event: CloudEvent }[] = [];
  private running = false;
  private closed = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: EventOutboxOptions) {}

  /** Returns at once. `event.reaper.<outcome>`, type `holdfast.reaper.<outcome>`. */
  add(entry: ReaperAuditEntry): void {
    const { outcome, verdict } = entry;
    const event = cloudEvent({ type: `holdfast.reaper.${outcome}`, source: '/reaper', subject: verdict.sessionId, data: entry });
    this.waiting.push({ subject: factSubjects.reaper(this.options.root, outcome), event });
    if (this.waiting.length > MAX_WAITING_EVENTS) {
      this.waiting.shift();
      this.options.log.warn('reaper.event-dropped', { waiting: this.waiting.length });
    }
    if (!this.running && !this.timer) void this.drain();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private async drain(): Promise<void> {
    this.running = true;
    this.timer = undefined;
    try {
      for (let next = this.waiting[0]; next && !this.closed; next = this.waiting[0]) {
        await this.options.publish(next.subject, next.event);
        if (this.waiting[0] === next) this.waiting.shift();
      }
    } catch {
      if (!this.closed) this.timer = setTimeout(() => void this.drain(), this.options.retryPauseMs ?? RETRY_PAUSE_MS);
    } finally {
      this.running = false;
    }
  }
}
