/** Everything of the supervisor that talks over the broker: loaded once sessions are served, and stopped with the supervisor. */
import { subjectRoot, type Backend, type HostBeat } from '@holdfast/contracts';
import { Bucket, CommandServer, EventBus, FactPublisher, InstanceStreams, type BusStatus } from '@holdfast/platform-messaging';
import type { FactLedger } from '../facts/fact-ledger.js';
import { FactOutbox } from '../facts/fact-outbox.js';
import type { Clock } from '../host/clock.js';
import type { Log } from '@holdfast/platform-observability';
import type { ManifestRepository } from '../manifest/manifest.repository.js';
import { BeatPublisher } from './beat-publisher.js';
import { HostEntryWriter } from './host-entry.js';
import { supervisorCommands, type CommandParts } from './supervisor-commands.js';

export interface BrokerSideOptions {
  readonly natsUrl: string;
  readonly instance: string;
  readonly bootId: string;
  readonly term: number;
  readonly backends: readonly Backend[];
  readonly clock: Clock;
  readonly log: Log;
  readonly manifests: ManifestRepository;
  readonly ledger: FactLedger;
  readonly commands: CommandParts;
  capacity(): HostBeat['capacity'];
}

export class BrokerSide {
  private readonly bus: EventBus;
  private readonly beats: BeatPublisher;
  private readonly outbox: FactOutbox;
  private readonly hostEntry: HostEntryWriter;

  private constructor(private readonly options: BrokerSideOptions) {
    const { instance, clock, log, commands, ledger } = options;
    const { hostId, registry } = commands;
    const root = subjectRoot(instance);
    const onProblem = (what: string, error: unknown): void => log.warn('broker.problem', { what, why: String(error) });
    this.bus = EventBus.start({
      url: options.natsUrl,
      name: `session-supervisor ${hostId}`,
      onStatus: (status) => this.brokerIs(status),
    });
    const streams = InstanceStreams.start({ bus: this.bus, instance, onProblem });
    const facts = new FactPublisher(streams);
    this.beats = new BeatPublisher({ ...options, hostId }, registry, this.bus);
    this.outbox = new FactOutbox(
      { hostId, root, clock, log, publish: (subject, event) => facts.publish(subject, event) },
      ledger,
      registry,
    );
    this.hostEntry = new HostEntryWriter({ clock, log, bucket: new Bucket(streams, 'HOSTS'), entry: () => this.entry() });
    const handlers = supervisorCommands(commands, log);
    CommandServer.start({ bus: this.bus, root, service: 'session-supervisor', hostId, handlers, onProblem });
  }

  /** Returns at once, broker or not; everything unpublished goes out as soon as there is one. */
  static start(options: BrokerSideOptions): BrokerSide {
    const side = new BrokerSide(options);
    options.manifests.onChange = ({ sessionId }) => side.outbox.note(sessionId);
    side.outbox.start();
    side.beats.start();
    side.hostEntry.start();
    return side;
  }

  /** A fact under way is waited for; commands in hand are not. */
  async stop(): Promise<void> {
    this.options.manifests.onChange = () => {};
    this.beats.stop();
    this.hostEntry.stop();
    const stopped = this.outbox.stop();
    await this.bus.close();
    await stopped;
  }

  private brokerIs(status: BusStatus): void {
    this.options.log.info(`broker.${status}`);
    if (status !== 'connected') return;
    this.beats.beat();
    this.outbox.wake();
    this.hostEntry.brokerBack();
  }

  private entry() {
    const { commands, term, backends, capacity } = this.options;
    return {
      hostId: commands.hostId,
      term,
      link: null,
      backends: [...backends],
      capacity: { sessions: capacity().sessions },
    };
  }
}
