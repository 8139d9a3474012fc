/** The services of one instance: their programs, and how each says that it serves. */
import { serviceReadySchema } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceCommand, ServiceDefinition } from './managed-service.js';
import {
  gatewayEnvironment,
  reaperEnvironment,
  supervisorEnvironment,
  taskServiceEnvironment,
  type InstanceFacts,
} from './service-environment.js';

/** The checkout: this file is in tools/up/dist. */
export const CHECKOUT = join(import.meta.dirname, '..', '..', '..');

/** The services beside the gateways, which find each other in whatever order they start. */
export function serviceDefinitions(own: NodeJS.ProcessEnv, facts: InstanceFacts): ServiceDefinition[] {
  const environments = {
    'session-supervisor': supervisorEnvironment,
    'task-service': taskServiceEnvironment,
    reaper: reaperEnvironment,
  };
  return Object.entries(environments).map(([name, environment]) => ({
    name,
    command: () => node(name, environment(own, facts)),
    ready: readyOverIpc,
  }));
}

export interface GatewayPlan extends InstanceFacts {
  readonly name: string;
  /** 0 = a free one at the first start; restarts keep it. */
  readonly port: number;
  readonly operatorToken: string;
  readonly dashboardDir: string | undefined;
}

export function gatewayDefinition(own: NodeJS.ProcessEnv, plan: GatewayPlan): ServiceDefinition {
  let port = plan.port;
  return {
    name: plan.name,
    command: () => node('gateway', gatewayEnvironment(own, { ...plan, port })),
    ready: async (child, gaveUp) => {
      const { url } = await readyOverIpc(child, gaveUp);
      if (url === undefined) throw new ServiceError('internal', 'the gateway did not say where it listens');
      port = Number(new URL(url).port);
      return { url };
    },
  };
}

/** Where the built dashboard is, or undefined when it was not built. */
export function builtDashboard(): string | undefined {
  const directory = join(CHECKOUT, 'apps', 'dashboard', 'dist');
  return existsSync(join(directory, 'index.html')) ? directory : undefined;
}

function node(app: string, environment: NodeJS.ProcessEnv): ServiceCommand {
  return {
    program: process.execPath,
    arguments: [join(CHECKOUT, 'apps', app, 'dist', 'main.js')],
    environment,
    ipc: true,
    deathSignal: 'SIGTERM',
  };
}

export function readyOverIpc(child: ChildProcess, gaveUp: AbortSignal): Promise<{ readonly url?: string | undefined }> {
  return new Promise((resolve, reject) => {
    gaveUp.addEventListener('abort', () => reject(new ServiceError('internal', 'ended before it was ready')), { once: true });
    child.on('message', (message) => {
      const parsed = serviceReadySchema.safeParse(message);
      if (parsed.success) resolve(parsed.data);
    });
  });
}
