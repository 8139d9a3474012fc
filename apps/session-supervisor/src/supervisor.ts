/** Starts a supervisor in the order that keeps sessions safe, and stops it without touching them. */
import type { INestApplicationContext } from '@nestjs/common';
import { ServiceError } from '@holdfast/kernel';
import { RuntimeLayout, StateLayout, acquireInstanceLock, type InstanceLock } from '@holdfast/platform-session-store';
import { chmodSync, mkdirSync } from 'node:fs';
import { assemble, type Assembly, type AssemblyInput } from './assembly.js';
import { takeHostFacts } from './host/host-facts.js';

export type SupervisorOptions = Pick<AssemblyInput, 'config' | 'environment' | 'holderBundle' | 'log'>;

/** Loading the broker's side takes half a second of CPU: sessions found at the start are attached before, or this long is waited for them. */
const ATTACH_FIRST_MS = 1_000;

export class Supervisor {
  private stopped = false;
  private readonly broker: Promise<INestApplicationContext | undefined>;

  private constructor(
    private readonly options: SupervisorOptions,
    private readonly lock: InstanceLock,
    private readonly parts: Assembly,
  ) {
    this.broker = this.joinBroker();
  }

  /**
   * Serves when it resolves; holders are taken up and the broker is joined in the background.
   * @throws ServiceError `config.invalid`, `config.socket-path-too-long`, `instance.in-use`, `storage.failed`.
   */
  static async start(options: SupervisorOptions): Promise<Supervisor> {
    const { config } = options;
    requireBackend(config.backend);
    const layout = new StateLayout(config.stateDir);
    const runtime = new RuntimeLayout(config.runtimeDir);
    runtime.assertFits();
    runtime.ensure();
    mkdirSync(config.stateDir, { recursive: true, mode: 0o700 });
    chmodSync(config.stateDir, 0o700);
    const lock = acquireInstanceLock(layout.supervisorLockFile);
    try {
      const parts = assemble({ ...options, layout, runtime, host: takeHostFacts(layout) });
      parts.adopt();
      await parts.link.start();
      return new Supervisor(options, lock, parts);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Holders and sessions live on. */
  async close(): Promise<void> {
    this.stopped = true;
    for (const stop of this.parts.stops) stop();
    await (await this.broker)?.close();
    await this.parts.manifests.settled();
    this.lock.release();
  }

  /** Sessions are served with or without it: a failure is said, and facts wait for the next start. */
  private async joinBroker(): Promise<INestApplicationContext | undefined> {
    const { config, log } = this.options;
    if (config.natsUrl === undefined) return undefined;
    try {
      await this.attachedOr(ATTACH_FIRST_MS);
      if (this.stopped) return undefined;
      const { joinBroker } = await import('./broker/broker.module.js');
      return await joinBroker({ ...this.parts.brokerSide, natsUrl: config.natsUrl }, log);
    } catch (error) {
      log.error('broker.not-joined', { why: String(error) });
      return undefined;
    }
  }

  private async attachedOr(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
    await Promise.race([Promise.all(this.parts.registry.all().map((session) => session.settled)), patience]);
    clearTimeout(timer);
  }
}

/** Better no start than one that refuses every session. */
function requireBackend(backend: string): void {
  if (backend === 'holder') return;
  throw new ServiceError(
    'config.invalid',
    `HOLDFAST_BACKEND is ${backend}, which this build does not have (example: HOLDFAST_BACKEND=holder)`,
  );
}
