/** From the command line to a running instance and back: checks first, then starts, then waits for Ctrl-C, then stops. */
import { ExitCode } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import { configWarnings, exitCodeOf, isLoopbackHost, loadConfig, type HoldfastConfig } from '@holdfast/platform-config';
import { RuntimeLayout, StateLayout, acquireInstanceLock } from '@holdfast/platform-session-store';
import type { UpOptions } from './arguments.js';
import { Instance } from './instance.js';
import { refuseKernelDirectory } from './kernel-directories.js';
import { assertBindable } from './listener.js';
import { ensureOperatorToken } from './operator-token.js';
import { MissingProgram, findProgram } from './programs.js';
import { builtDashboard } from './service-definitions.js';
import { prepareStateDirectory } from './state-directory.js';

export interface Surroundings {
  readonly environment: NodeJS.ProcessEnv;
  /** Aborts when the services shall stop. */
  readonly stop: AbortSignal;
  readonly report: (line: string) => void;
  /** Called once, with the sign-in link. */
  readonly ready: (line: string) => void;
}

/** Runs one instance until it is asked to stop. Resolves with the exit code; nothing it started runs afterwards but the sessions. */
export async function runUp(options: UpOptions, surroundings: Surroundings): Promise<number> {
  try {
    const environment = { ...surroundings.environment, ...options.environment };
    const config = checkedConfig(environment, options.gateways);
    for (const warning of configWarnings(environment)) surroundings.report(`warning: ${warning}`);
    const natsProgram = findPrograms(config, environment);
    prepareStateDirectory(config.stateDir);
    const lock = acquireInstanceLock(new StateLayout(config.stateDir).upLockFile);
    try {
      await runLocked({ options, environment, config, natsProgram }, surroundings);
    } finally {
      lock.release();
    }
    return ExitCode.ok;
  } catch (error) {
    surroundings.report(messageOf(error));
    return error instanceof MissingProgram ? ExitCode.missingProgram : exitCodeOf(error);
  }
}

interface Checked {
  readonly options: UpOptions;
  readonly environment: NodeJS.ProcessEnv;
  readonly config: HoldfastConfig;
  readonly natsProgram: string | undefined;
}

async function runLocked({ options, environment, config, natsProgram }: Checked, { stop, report, ready }: Surroundings): Promise<void> {
  const operatorToken = ensureOperatorToken(new StateLayout(config.stateDir).operatorTokenFile, config.gateway.operatorToken);
  // A token kept from a start on loopback may be too short for a bind that others can reach.
  loadConfig({ ...environment, HOLDFAST_OPERATOR_TOKEN: operatorToken });
  if (!isLoopbackHost(config.gateway.host))
    report(`${config.gateway.host} can be reached from other machines; whoever has the token controls this one`);
  for (const port of gatewayPorts(config, options.gateways)) await assertBindable(config.gateway.host, port);
  const dashboardDir = options.dashboard ? (config.dashboardDir ?? builtDashboard()) : undefined;
  if (options.dashboard && dashboardDir === undefined) report('the dashboard is not built and is not served');
  const plan = {
    config,
    environment,
    operatorToken,
    gateways: options.gateways,
    dashboardDir,
    natsProgram,
    verbose: options.verbose,
    report,
  };
  const instance = new Instance(plan);
  try {
    const gateways = await Promise.race([instance.start(), aborted(stop)]);
    if (gateways !== 'stopped') {
      ready(`holdfast ready ${signInLink(gateways[0] ?? '', operatorToken)}`);
      await aborted(stop);
      report(farewell(await instance.countLivingSessions()));
    }
  } finally {
    await instance.stop();
  }
}

/** @throws ServiceError before anything is created. */
function checkedConfig(environment: NodeJS.ProcessEnv, gateways: number): HoldfastConfig {
  const config = loadConfig(environment);
  refuseKernelDirectory('HOLDFAST_STATE_DIR', config.stateDir);
  refuseKernelDirectory('HOLDFAST_RUNTIME_DIR', config.runtimeDir);
  new RuntimeLayout(config.runtimeDir).assertFits();
  const lastPort = config.gateway.port + gateways - 1;
  if (lastPort > 65_535)
    throw new ServiceError('config.invalid', `${gateways} gateways from port ${config.gateway.port} would need port ${lastPort}`);
  return config;
}

/** The NATS server's path, or undefined when another one is used. */
function findPrograms(config: HoldfastConfig, environment: NodeJS.ProcessEnv): string | undefined {
  findProgram('setpriv', environment['PATH']);
  findProgram('flock', environment['PATH']);
  return config.natsUrl === undefined ? findProgram('nats-server', environment['PATH']) : undefined;
}

function gatewayPorts(config: HoldfastConfig, gateways: number): number[] {
  if (config.gateway.port === 0) return [];
  return Array.from({ length: gateways }, (_, index) => config.gateway.port + index);
}

function aborted(signal: AbortSignal): Promise<'stopped'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('stopped');
    else signal.addEventListener('abort', () => resolve('stopped'), { once: true });
  });
}

/** A wildcard address is no address to open. */
function signInLink(gateway: string, token: string): string {
  const { port, hostname } = new URL(gateway);
  const host = hostname === '0.0.0.0' ? '127.0.0.1' : hostname === '[::]' ? '[::1]' : hostname;
  return `http://${host}:${port}/#token=${token}`;
}

function farewell(living: number | undefined): string {
  if (living === undefined) return 'stopping; sessions live on (nobody answered how many), the next start finds them';
  if (living === 0) return 'stopping; no session is running';
  return `stopping; ${living} ${living === 1 ? 'session lives' : 'sessions live'} on, the next start finds ${living === 1 ? 'it' : 'them'}`;
}

function messageOf(error: unknown): string {
  if (error instanceof ServiceError && error.code !== 'internal') return `${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}
