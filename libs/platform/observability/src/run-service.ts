/** The life of a service's process, the same for all: one fatal line for a failed start, ready told to the starter, a clean end. */
import type { ServiceReady } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import { configWarnings, exitCodeOf } from '@holdfast/platform-config';
import { JsonLog } from './json-log.js';

/** Whatever hangs, the process is gone after this. */
const STOP_DEADLINE_MS = 1_500;

export interface RunningService {
  /** Where it serves, for services that people reach. */
  readonly url?: string;
  close(): Promise<void>;
}

export interface ServiceProcess {
  readonly name: string;
  /** Resolves once it serves. @throws ServiceError whose code decides the exit code. */
  start(environment: NodeJS.ProcessEnv, log: JsonLog): Promise<RunningService>;
}

/** Starts it, and ends the process on SIGTERM, SIGINT, or when the process that started it is gone. */
export async function runService(service: ServiceProcess): Promise<void> {
  const log = new JsonLog(service.name);
  try {
    for (const warning of configWarnings(process.env)) log.warn('config.unknown-variable', { warning });
    const running = await service.start(process.env, log);
    const stop = (why: string): void => {
      log.info('service.stopping', { why });
      setTimeout(() => process.exit(0), STOP_DEADLINE_MS).unref();
      void running.close().finally(() => process.exit(0));
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop(signal));
    process.once('disconnect', () => stop('parent gone'));
    const ready: ServiceReady = { ready: true, ...(running.url === undefined ? {} : { url: running.url }) };
    process.send?.(ready);
  } catch (error) {
    const { code, message } = ServiceError.from(error);
    log.fatal('service.start-failed', { code, message: code === 'internal' ? String(error) : message });
    process.exit(exitCodeOf(error));
  }
}
