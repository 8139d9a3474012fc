/** Starts the reaper, broker or not. Ends with its signals or its parent; kills it commanded go on. */
import 'reflect-metadata';
import { ServiceError } from '@holdfast/kernel';
import { exitCodeOf, loadConfig } from '@holdfast/platform-config';
import { NestFactory } from '@nestjs/core';
import { JsonLog } from './log.js';
import { Reaper } from './reaper.js';
import { ReaperModule } from './reaper.module.js';

/** Whatever hangs, the process is gone after this. */
const STOP_DEADLINE_MS = 1_500;
const log = new JsonLog();

async function main(): Promise<void> {
  const reaper = Reaper.start({ config: loadConfig(process.env), log });
  const app = await NestFactory.createApplicationContext(ReaperModule.around(reaper), { logger: log, abortOnError: false });
  const stop = (why: string): void => {
    log.info('reaper.stopping', { why });
    setTimeout(() => process.exit(0), STOP_DEADLINE_MS).unref();
    void app.close().finally(() => process.exit(0));
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop(signal));
  process.once('disconnect', () => stop('parent gone'));
  process.send?.({ ready: true });
}

main().catch((error: unknown) => {
  const { code, message } = ServiceError.from(error);
  log.fatal('reaper.start-failed', { code, why: code === 'internal' ? String(error) : message });
  process.exit(exitCodeOf(error));
});
