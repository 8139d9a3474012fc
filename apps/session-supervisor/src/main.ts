/** Starts the session supervisor. Ends with its signals or its parent; sessions live on. */
import { ServiceError } from '@holdfast/kernel';
import { exitCodeOf, loadConfig } from '@holdfast/platform-config';
import { DEFAULT_BUNDLE } from './backend/holder/launch/holder-bundle.js';
import { JsonLog } from './host/log.js';
import { Supervisor } from './supervisor.js';

/** Whatever hangs, the process is gone after this. */
const STOP_DEADLINE_MS = 1_500;
const log = new JsonLog();

async function main(): Promise<void> {
  const environment = process.env;
  const holderBundle = environment['HOLDFAST_HOLDER_BUNDLE'] ?? DEFAULT_BUNDLE;
  const supervisor = await Supervisor.start({ config: loadConfig(environment), environment, holderBundle, log });
  const stop = (why: string): void => {
    log.info('supervisor.stopping', { why });
    setTimeout(() => process.exit(0), STOP_DEADLINE_MS).unref();
    void supervisor.stop().finally(() => process.exit(0));
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop(signal));
  process.once('disconnect', () => stop('parent gone'));
  process.send?.({ ready: true });
}

main().catch((error: unknown) => {
  const { code, message } = ServiceError.from(error);
  log.fatal('supervisor.start-failed', { code, why: code === 'internal' ? String(error) : message });
  process.exit(exitCodeOf(error));
});
