/** Publishes facts to JetStream and says whether the broker has them on disk. */
import { ServiceError } from '@holdfast/kernel';
import type { CloudEvent } from '../cloud-event.js';
import { brokerAway, type InstanceStreams } from './streams.js';

/** The broker has stored an event within this, or the caller's outbox tries again. */
export const PUBLISH_DEADLINE_MS = 5_000;

export class FactPublisher {
  constructor(private readonly streams: InstanceStreams) {}

  /**
   * Resolves once the broker has stored the event; `duplicate` when it had it already (same event id within two minutes).
   * Never queues and never tries again by itself: an outbox does.
   * @throws ServiceError `service.unreachable` (safe: the id makes a repeat harmless) when the broker is away or silent,
   * `request.too-large` when the event is over the broker's largest message.
   */
  async publish(
    subject: string,
    event: CloudEvent,
    deadlineMs: number = PUBLISH_DEADLINE_MS,
  ): Promise<{ readonly sequence: number; readonly duplicate: boolean }> {
    const client = await this.streams.client();
    const payload = new TextEncoder().encode(JSON.stringify(event));
    this.refuseTooLarge(event, payload.byteLength);
    try {
      const ack = await client.publish(subject, payload, { msgID: event.id, timeout: deadlineMs });
      return { sequence: ack.seq, duplicate: ack.duplicate };
    } catch (cause) {
      this.streams.forget();
      throw brokerAway(cause);
    }
  }

  private refuseTooLarge(event: CloudEvent, bytes: number): void {
    const maxBytes = this.streams.bus.current?.info?.max_payload;
    if (maxBytes === undefined || bytes <= maxBytes - HEADER_BYTES) return;
    throw new ServiceError('request.too-large', `event ${event.id} has ${bytes} bytes`, { detail: { bytes, maxBytes } });
  }
}

/** The broker counts headers as payload. */
const HEADER_BYTES = 512;
