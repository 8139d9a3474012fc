/** Serves the commands of a service: parses each request, refuses stale ones, and answers facts or a typed error. */
import type { CommandAnswer, CommandRequest, CommandService, CommandVerb } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import { BusTransport } from './bus-transport.js';
import { commandSchemas, commandSubject, type CommandAddress } from './command-subject.js';
import type { EventBus } from '../event-bus.js';
import type { ReportProblem } from '../problem.js';

/** What a handler throws is answered: a `ServiceError` as it is, anything else as `internal`. Requests run side by side; each may come twice. */
export type CommandHandlers<S extends CommandService> = {
  readonly [V in CommandVerb<S>]: (request: CommandRequest<S, V>) => Promise<CommandAnswer<S, V>>;
};

export interface CommandServerOptions<S extends CommandService> extends CommandAddress<S> {
  readonly bus: EventBus;
  /** A verb left out has no responder. */
  readonly handlers: Partial<CommandHandlers<S>>;
  readonly onProblem?: ReportProblem;
}

type Answer = { readonly ok: true } | { readonly ok: false; readonly error: ReturnType<ServiceError['toBody']> };
type AnyHandler = (request: never) => Promise<object>;

/**
 * Starts at once, broker or not, and serves again after every reconnect; ends with the bus. Of several task services (or reapers) one
 * answers; supervisors are never equal, so each serves its own host's subjects without a queue.
 */
export class CommandServer<S extends CommandService> {
  private readonly transport: BusTransport;

  private constructor(private readonly options: CommandServerOptions<S>) {
    const { bus, service, onProblem } = options;
    this.transport = new BusTransport({
      bus,
      ...(service === 'session-supervisor' ? {} : { queue: service }),
      ...(onProblem ? { onProblem } : {}),
    });
    for (const [verb, handler] of Object.entries(options.handlers as Readonly<Record<string, AnyHandler | undefined>>)) {
      if (handler)
        this.transport.addHandler(commandSubject(options, verb as CommandVerb<S>), (data: unknown) => this.answer(verb, handler, data));
    }
  }

  static start<S extends CommandService>(options: CommandServerOptions<S>): CommandServer<S> {
    const server = new CommandServer(options);
    void server.transport.listen(() => undefined);
    return server;
  }

  /** Takes no more requests. */
  close(): Promise<void> {
    return this.transport.close();
  }

  private async answer(verb: string, handler: AnyHandler, data: unknown): Promise<Answer> {
    try {
      const request = this.parse(verb, data);
      return { ok: true, ...(await handler(request as never)) };
    } catch (thrown) {
      const error = ServiceError.from(thrown);
      if (error.code === 'internal') this.options.onProblem?.(`command.failed ${verb}`, thrown);
      return { ok: false, error: error.toBody() };
    }
  }

  private parse(verb: string, data: unknown): unknown {
    const parsed = commandSchemas(this.options.service, verb).request.safeParse(data);
    if (!parsed.success) {
      const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
      throw new ServiceError('request.invalid', `${verb}: ${faults.join('; ')}`);
    }
    refuseStale(verb, parsed.data);
    return parsed.data;
  }
}

/** Wall clocks of two machines differ by less than the seconds a sender waits. */
function refuseStale(verb: string, request: unknown): void {
  if (typeof request !== 'object' || request === null || !('notAfter' in request) || typeof request.notAfter !== 'string') return;
  const lateByMs = Date.now() - Date.parse(request.notAfter);
  if (lateByMs > 0)
    throw new ServiceError('command.stale', `${verb}: came ${lateByMs} ms after its sender gave it up`, { detail: { lateByMs } });
}
