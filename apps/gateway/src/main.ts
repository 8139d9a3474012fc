/** Starts the gateway, tells who started it, and ends with its parent or on a signal. */
import 'reflect-metadata';
import { ExitCode, type ServiceReady } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import { loadConfig } from '@holdfast/platform-config';
import { startGateway, type Gateway } from './gateway.js';

/** After this a shutdown ends whether it is done or not. */
const SHUTDOWN_DEADLINE_MS = 2_000;

function fail(error: unknown): never {
  const { code, message } = error instanceof ServiceError ? error : new ServiceError('internal', String(error));
  process.stderr.write(`${JSON.stringify({ level: 'fatal', code, message })}\n`);
  const isConfiguration = code === 'config.invalid' || code === 'config.socket-path-too-long';
  process.exit(isConfiguration ? ExitCode.badConfiguration : ExitCode.failed);
}

async function stop(gateway: Gateway): Promise<void> {
  setTimeout(() => process.exit(ExitCode.failed), SHUTDOWN_DEADLINE_MS).unref();
  await gateway.close();
  process.exit(ExitCode.ok);
}

try {
  const gateway = await startGateway(loadConfig(process.env));
  const ready: ServiceReady = { ready: true, url: gateway.url };
  process.send?.(ready);
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(event, () => void stop(gateway).catch(fail));
} catch (error) {
  fail(error);
}
