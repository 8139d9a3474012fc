/** Nest's NATS transport on the process's one connection: served again at every connect, and never waited for by a start. */
import { ServiceError } from '@holdfast/kernel';
import { ServerNats } from '@nestjs/microservices';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import type { EventBus } from '../event-bus.js';
import type { ReportProblem } from '../problem.js';

export interface BusTransportOptions {
  readonly bus: EventBus;
  /** Of equal instances, one answers each request; absent = every instance does. */
  readonly queue?: string;
  readonly onProblem?: ReportProblem;
}

/** Usable as the `strategy` of a Nest microservice: requests are `{pattern, data, id}`, answers `{response, isDisposed, id}`. */
export class BusTransport extends ServerNats {
  private closed = false;
  private subscribed: Subscription[] = [];

  constructor(private readonly transport: BusTransportOptions) {
    super(transport.queue === undefined ? {} : { queue: transport.queue });
  }

  /** Calls back at once, broker or not. */
  override listen(callback: (error?: unknown) => void): Promise<void> {
    void this.serveEachConnection();
    callback();
    return Promise.resolve();
  }

  /** Stops taking requests; those in hand are still answered. The connection stays the bus's. */
  override close(): Promise<void> {
    this.closed = true;
    for (const subscription of this.subscribed) subscription.unsubscribe();
    this.subscribed = [];
    return Promise.resolve();
  }

  override bindEvents(connection: NatsConnection): void {
    const { queue } = this.transport;
    this.subscribed = [...this.getHandlers().keys()].map((subject) =>
      connection.subscribe(subject, {
        ...(queue === undefined ? {} : { queue }),
        callback: (error, message) =>
          void (error ? this.transport.onProblem?.('command.refused-by-broker', error) : this.take(subject, message)),
      }),
    );
  }

  private async serveEachConnection(): Promise<void> {
    for (;;) {
      const connection = await this.transport.bus.currentOrNext();
      if (!connection || this.closed) return;
      this.bindEvents(connection);
      await connection.closed();
    }
  }

  /** What cannot be read is answered too; its text stays out of every log, since it may hold a prompt. */
  private async take(subject: string, message: Msg): Promise<void> {
    try {
      await this.handleMessage(subject, message);
    } catch (cause) {
      const error = new ServiceError('request.invalid', `${subject}: not the JSON of a request`);
      this.transport.onProblem?.('command.unreadable', error);
      if (cause instanceof SyntaxError)
        message.respond(JSON.stringify({ response: { ok: false, error: error.toBody() }, isDisposed: true }));
    }
  }
}
