/** The running reaper: hears beats, sweeps at its interval, answers commands. */
import { BEAT_INTERVAL_MS, subjectRoot } from '@holdfast/contracts';
import type { ReapLimits } from '@holdfast/domain-liveness';
import { ServiceError } from '@holdfast/kernel';
import type { HoldfastConfig, ReaperConfig } from '@holdfast/platform-config';
import { CommandClient, EventBus, FactPublisher, InstanceStreams } from '@holdfast/platform-messaging';
import { AuditFile } from './audit/audit-file.adapter.js';
import { AuditLog } from './audit/audit-log.js';
import { systemClock } from './clock.js';
import { HostInventory } from './inventory/host-inventory.js';
import type { Log } from '@holdfast/platform-observability';
import { listenToBeats } from './nats/beat-listener.js';
import { CommandSupervisors, CommandTaskStore } from './nats/command-adapters.js';
import { EventOutbox } from './nats/event-outbox.js';
import { serveReaperCommands } from './nats/reaper-commands.js';
import { SweepTimer } from './sweep/sweep-timer.js';
import { Sweeper } from './sweep/sweeper.js';

/** Three missed beats are silence, and three heard ones are hearing. */
const BEATS_THAT_COUNT = 3;

export interface ReaperOptions {
  readonly config: HoldfastConfig;
  readonly log: Log;
}

export class Reaper {
  private constructor(
    private readonly bus: EventBus,
    private readonly outbox: EventOutbox,
    private readonly timer: SweepTimer,
  ) {}

  /** Returns at once, broker or not. @throws ServiceError `config.invalid` without a broker's URL. */
  static start({ config, log }: ReaperOptions): Reaper {
    const { instance, natsUrl } = config;
    if (natsUrl === undefined)
      throw new ServiceError(
        'config.invalid',
        'HOLDFAST_NATS_URL must be set for the reaper (example: HOLDFAST_NATS_URL=nats://127.0.0.1:4222)',
      );
    const limits = reapLimits(config.reaper);
    const inventory = new HostInventory(limits);
    const onProblem = (what: string, error: unknown): void =>
      log.warn(`reaper.${what}`, { why: error instanceof Error ? error.message : 'unknown' });
    const bus = EventBus.start({ url: natsUrl, name: 'reaper', onStatus: (status) => hearOrNot(status, inventory, log) });
    const publisher = new FactPublisher(InstanceStreams.start({ bus, instance, onProblem }));
    const outbox = new EventOutbox({ publish: (subject, event) => publisher.publish(subject, event), root: subjectRoot(instance), log });
    const audit = new AuditFile(config.stateDir);
    const client = new CommandClient(bus, instance);
    const sweeper = new Sweeper({
      inventory,
      store: new CommandTaskStore(client),
      supervisors: new CommandSupervisors(client),
      trail: new AuditLog(audit, outbox, log),
      clock: systemClock,
      limits,
      enabled: config.reaper.enabled,
      maxKillsPerSweep: config.reaper.maxPerSweep,
    });
    listenToBeats({ bus, instance, inventory, clock: systemClock, onProblem });
    serveReaperCommands({ bus, instance, sweeper, audit, log, onProblem });
    return new Reaper(bus, outbox, SweepTimer.start({ sweeper, intervalMs: config.reaper.intervalMs, log }));
  }

  /** A kill that was commanded goes on in its supervisor; nothing new is begun. */
  async stop(): Promise<void> {
    this.timer.stop();
    this.outbox.close();
    await this.bus.close();
  }
}

function hearOrNot(status: string, inventory: HostInventory, log: Log): void {
  if (status === 'disconnected') inventory.deafen();
  log.info(`broker.${status}`);
}

function reapLimits(config: ReaperConfig): ReapLimits {
  return { ...config, silentAfterMs: BEATS_THAT_COUNT * BEAT_INTERVAL_MS, minBeats: BEATS_THAT_COUNT };
}
