/** Starts the gateway. Its viewers attach again to the next one by their offsets. */
import 'reflect-metadata';
import { loadConfig } from '@holdfast/platform-config';
import { runService } from '@holdfast/platform-observability';
import { startGateway } from './gateway.js';

await runService({ name: 'gateway', start: (environment) => startGateway(loadConfig(environment)) });
