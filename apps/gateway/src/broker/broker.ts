/** The message broker as this gateway uses it: commands to the services, beats of the hosts. No session ever waits for it. */
import { Logger } from '@nestjs/common';
import {
  hostBeatEventSchema,
  subjectRoot,
  subjects,
  type CommandAnswer,
  type CommandRequest,
  type CommandVerb,
  type Health,
  type HostBeat,
} from '@holdfast/contracts';
import { ServiceError, type ErrorCode, type Retry } from '@holdfast/kernel';
import { CommandClient, EventBus, followSubject } from '@holdfast/platform-messaging';

/** The services that a gateway asks. */
export type AskedService = 'task-service' | 'reaper';

export interface Question<S extends AskedService, V extends CommandVerb<S>> {
  readonly service: S;
  readonly verb: V;
  readonly body: CommandRequest<S, V>;
  /** Whether the caller may ask again when the answer is lost: `unknown` for what changes something and has no key. */
  readonly whenLost: Retry;
  readonly deadlineMs?: number;
}

/** What the command client says when a question may have arrived and its answer did not. */
const LOST_ANSWER: ReadonlySet<ErrorCode> = new Set(['deadline.exceeded', 'link.closed']);

export class Broker {
  private readonly logger = new Logger('Broker');
  private readonly bus: EventBus | undefined;
  private readonly commands: CommandClient | undefined;

  /** Connects in the background. @throws ServiceError `config.invalid` for a URL that is none. */
  constructor(private readonly options: { readonly natsUrl: string | undefined; readonly instance: string }) {
    if (options.natsUrl === undefined) return;
    this.bus = EventBus.start({ url: options.natsUrl, name: 'gateway' });
    this.commands = new CommandClient(this.bus, options.instance);
  }

  get status(): Health['nats']['status'] {
    if (this.bus === undefined) return 'unknown';
    return this.bus.isConnected ? 'ok' : 'unreachable';
  }

  /** @throws ServiceError `service.unreachable` when the broker or the service is away or silent; else what the service answered. */
  async ask<S extends AskedService, V extends CommandVerb<S>>(question: Question<S, V>): Promise<CommandAnswer<S, V>> {
    const { service, verb, body, whenLost, deadlineMs } = question;
    if (this.commands === undefined) throw new ServiceError('service.unreachable', `${service}: this gateway has no message broker`);
    try {
      return await this.commands.request(service, verb, body, deadlineMs === undefined ? {} : { deadlineMs });
    } catch (error) {
      if (!(error instanceof ServiceError) || !LOST_ANSWER.has(error.code)) throw error;
      throw new ServiceError('service.unreachable', `no answer from the ${service}`, { retry: whenLost, cause: error });
    }
  }

  /** Until the end of the gateway. Those of another instance are ignored. */
  followBeats(onBeat: (beat: HostBeat) => void): void {
    const { bus, logger } = this;
    const { instance } = this.options;
    if (bus === undefined) return;
    followSubject({
      bus,
      subject: subjects.allHostBeats(subjectRoot(instance)),
      onEvent: (event, subject) => {
        const parsed = hostBeatEventSchema.safeParse(event);
        if (!parsed.success) logger.warn(`${subject}: a beat that this build cannot read`);
        else if (parsed.data.data.instance === instance) onBeat(parsed.data.data);
      },
      onProblem: (what, error) => logger.warn(`${what}: ${error instanceof Error ? error.message : String(error)}`),
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.bus?.close();
  }
}
