/** Sends commands to services and gives their parsed answers, or one typed error that says whether to send again. */
import { subjectRoot, type CommandAnswer, type CommandRequest, type CommandService, type CommandVerb } from '@holdfast/contracts';
import { newId, parseErrorBody, ServiceError } from '@holdfast/kernel';
import { errors, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import { commandSchemas, commandSubject } from './command-subject.js';
import type { EventBus } from '../event-bus.js';

export const COMMAND_DEADLINE_MS = 5_000;

export interface CommandOptions {
  /** Of the supervisor; the other services have none. */
  readonly hostId?: string;
  readonly deadlineMs?: number;
}

/** What Nest's transport answers. */
const replySchema = z.object({
  response: z.union([z.object({ ok: z.literal(true) }).loose(), z.object({ ok: z.literal(false), error: z.unknown() })]),
});

export class CommandClient {
  private readonly root: string;

  constructor(
    private readonly bus: EventBus,
    instance: string,
  ) {
    this.root = subjectRoot(instance);
  }

  /**
   * @throws ServiceError `service.unreachable` (safe) when the broker is away or nobody serves the verb; `deadline.exceeded` (unknown) without an
   * answer in time; `link.closed` (unknown) when the broker went away meanwhile; else the error that the service answered.
   */
  async request<S extends CommandService, V extends CommandVerb<S>>(
    service: S,
    verb: V,
    body: CommandRequest<S, V>,
    options: CommandOptions = {},
  ): Promise<CommandAnswer<S, V>> {
    const subject = commandSubject({ root: this.root, service, hostId: options.hostId }, verb);
    const connection = this.bus.current;
    if (!connection) throw new ServiceError('service.unreachable', `${subject}: the message broker is away`);
    const deadlineMs = options.deadlineMs ?? COMMAND_DEADLINE_MS;
    const facts = factsOf(subject, await send(connection, subject, { body, deadlineMs }));
    const answer = commandSchemas(service, verb).answer.safeParse(facts);
    if (!answer.success) throw unreadable(subject, answer.error);
    return answer.data as CommandAnswer<S, V>;
  }
}

async function send(
  connection: NatsConnection,
  subject: string,
  request: { readonly body: unknown; readonly deadlineMs: number },
): Promise<Msg> {
  const { body, deadlineMs } = request;
  try {
    return await connection.request(subject, JSON.stringify({ pattern: subject, data: body, id: newId() }), { timeout: deadlineMs });
  } catch (cause) {
    throw typedFailure(subject, cause, deadlineMs);
  }
}

function typedFailure(subject: string, cause: unknown, deadlineMs: number): ServiceError {
  if (cause instanceof errors.RequestError && cause.isNoResponders())
    return new ServiceError('service.unreachable', `${subject}: nobody serves it`, { cause });
  if (cause instanceof errors.TimeoutError)
    return new ServiceError('deadline.exceeded', `${subject}: no answer within ${deadlineMs} ms`, { cause, detail: { deadlineMs } });
  if (cause instanceof errors.InvalidArgumentError)
    return new ServiceError('request.too-large', `${subject}: over the broker's largest message`, { cause });
  return new ServiceError('link.closed', `${subject}: the message broker went away`, { cause });
}

function factsOf(subject: string, message: Msg): unknown {
  let reply: z.infer<typeof replySchema>;
  try {
    reply = replySchema.parse(message.json());
  } catch (cause) {
    throw unreadable(subject, cause);
  }
  if (!reply.response.ok) throw ServiceError.fromBody(parseErrorBody(reply.response.error));
  return reply.response;
}

function unreadable(subject: string, cause: unknown): ServiceError {
  return new ServiceError('internal', `${subject}: an answer that this build cannot read`, { cause });
}
