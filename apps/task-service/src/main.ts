/** Starts the task service. Ends with its signals or its parent; what it was doing is resumed by the next start. */
import 'reflect-metadata';
import { ServiceError } from '@holdfast/kernel';
import { configWarnings, exitCodeOf, loadConfig } from '@holdfast/platform-config';
import { NestFactory } from '@nestjs/core';
import { JsonLog } from './host/log.js';
import { TaskServiceModule } from './task-service.module.js';
import { TaskService } from './task-service.js';

/** Whatever hangs, the process is gone after this. */
const STOP_DEADLINE_MS = 1_500;
const log = new JsonLog();

async function main(): Promise<void> {
  const environment = process.env;
  const config = loadConfig(environment);
  for (const warning of configWarnings(environment)) log.warn('config.unknown-variable', { warning });
  const service = await TaskService.start({ config, environment, log });
  const app = await NestFactory.createApplicationContext(TaskServiceModule.around(service), { logger: log, abortOnError: false });
  const stop = (why: string): void => {
    log.info('task-service.stopping', { why });
    setTimeout(() => process.exit(0), STOP_DEADLINE_MS).unref();
    void app.close().finally(() => process.exit(0));
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop(signal));
  process.once('disconnect', () => stop('parent gone'));
  process.send?.({ ready: true });
}

main().catch((error: unknown) => {
  const { code, message } = ServiceError.from(error);
  log.fatal('task-service.start-failed', { code, why: code === 'internal' ? String(error) : message });
  process.exit(exitCodeOf(error));
});
