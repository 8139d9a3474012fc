/** Turns the environment into a typed configuration, or says which variable is wrong, how, and what a good one looks like. */
import { ServiceError } from '@holdfast/kernel';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { z } from 'zod';
import { isLoopbackHost } from './loopback-host.js';
import { CONFIG_VARIABLES, MIN_REMOTE_TOKEN_LENGTH, type ConfigVariable } from './variables.js';

export interface HoldfastConfig {
  readonly instance: string;
  /** Durable facts: manifest, journals, token. Absolute. */
  readonly stateDir: string;
  /** Sockets; may vanish with a reboot. Absolute. Whether socket paths below it fit is checked by who binds them. */
  readonly runtimeDir: string;
  /** Absent: no broker. May carry credentials: never log it. */
  readonly natsUrl?: string;
  readonly gateway: {
    readonly host: string;
    /** 0 = any free port. */
    readonly port: number;
    readonly publicOrigin?: string;
    readonly operatorToken?: string;
    readonly trustedProxies: readonly string[];
  };
  readonly sessionsPerHolder: number;
  /** Who starts holders: the supervisor itself, or the starter in the container where sessions run. */
  readonly holderLauncher: 'local' | 'starter';
  readonly backend: 'holder' | 'tmux' | 'dtach' | 'replay';
  readonly journal: { readonly sessionBytes: number; readonly totalBytes: number };
  /** Of the task store: `file:` and an absolute path. */
  readonly databaseUrl: string;
  /** How long processes may outlive their session's leader. */
  readonly leftoverGraceMs: number;
  readonly reaper: ReaperConfig;
  /** Absent: no dashboard is served. */
  readonly dashboardDir?: string;
}

export interface ReaperConfig {
  /** False: sweeps decide and report, and kill nothing. */
  readonly enabled: boolean;
  readonly orphanAgeMs: number;
  /** Live sessions on a host from which on the smaller of the two orphan ages holds. */
  readonly pressureSessions: number;
  readonly orphanAgeUnderPressureMs: number;
  readonly terminalTaskGraceMs: number;
  readonly intervalMs: number;
  readonly maxPerSweep: number;
}

type Values = { readonly [Name in ConfigVariable]?: z.output<(typeof CONFIG_VARIABLES)[Name]['schema']> };

/** Throws `config.invalid` naming every bad variable. An empty variable counts as absent. */
export function loadConfig(environment: NodeJS.ProcessEnv): HoldfastConfig {
  const values = readVariables(environment);
  const instance = values.HOLDFAST_INSTANCE ?? 'default';
  const host = values.HOLDFAST_GATEWAY_HOST ?? '127.0.0.1';
  const stateDir = values.HOLDFAST_STATE_DIR ?? defaultStateDir(environment, instance);
  refuseWeakToken(host, values.HOLDFAST_OPERATOR_TOKEN);
  return {
    instance,
    stateDir,
    runtimeDir: values.HOLDFAST_RUNTIME_DIR ?? defaultRuntimeDir(environment, instance),
    ...(values.HOLDFAST_NATS_URL === undefined ? {} : { natsUrl: values.HOLDFAST_NATS_URL }),
    gateway: {
      host,
      port: values.HOLDFAST_GATEWAY_PORT ?? 7070,
      ...(values.HOLDFAST_PUBLIC_ORIGIN === undefined ? {} : { publicOrigin: values.HOLDFAST_PUBLIC_ORIGIN }),
      ...(values.HOLDFAST_OPERATOR_TOKEN === undefined ? {} : { operatorToken: values.HOLDFAST_OPERATOR_TOKEN }),
      trustedProxies: values.HOLDFAST_TRUSTED_PROXIES ?? [],
    },
    sessionsPerHolder: values.HOLDFAST_SESSIONS_PER_HOLDER ?? 8,
    holderLauncher: values.HOLDFAST_HOLDER_LAUNCHER ?? 'local',
    backend: values.HOLDFAST_BACKEND ?? 'holder',
    journal: {
      sessionBytes: values.HOLDFAST_JOURNAL_BYTES ?? 64 * 1024 * 1024,
      totalBytes: values.HOLDFAST_JOURNALS_TOTAL_BYTES ?? 2 * 1024 * 1024 * 1024,
    },
    databaseUrl: values.HOLDFAST_DATABASE_URL ?? `file:${join(stateDir, 'tasks.db')}`,
    leftoverGraceMs: values.HOLDFAST_LEFTOVER_GRACE_MS ?? 60_000,
    reaper: reaperConfig(values),
    ...(values.HOLDFAST_DASHBOARD_DIR === undefined ? {} : { dashboardDir: values.HOLDFAST_DASHBOARD_DIR }),
  };
}

function reaperConfig(values: Values): ReaperConfig {
  return {
    enabled: values.HOLDFAST_REAP_ORPHAN_SESSIONS ?? true,
    orphanAgeMs: values.HOLDFAST_REAP_ORPHAN_AGE_MS ?? 24 * 3600 * 1000,
    pressureSessions: values.HOLDFAST_REAP_PRESSURE_SESSIONS ?? 20,
    orphanAgeUnderPressureMs: values.HOLDFAST_REAP_ORPHAN_AGE_UNDER_PRESSURE_MS ?? 2 * 3600 * 1000,
    terminalTaskGraceMs: values.HOLDFAST_REAP_TERMINAL_TASK_GRACE_MS ?? 60_000,
    intervalMs: values.HOLDFAST_REAP_INTERVAL_MS ?? 5_000,
    maxPerSweep: values.HOLDFAST_REAP_MAX_PER_SWEEP ?? 10,
  };
}

function readVariables(environment: NodeJS.ProcessEnv): Values {
  const values: Record<string, unknown> = {};
  const faults: { readonly variable: ConfigVariable; readonly fault: string }[] = [];
  for (const name of Object.keys(CONFIG_VARIABLES) as ConfigVariable[]) {
    const text = environment[name];
    if (text === undefined || text === '') continue;
    const parsed = CONFIG_VARIABLES[name].schema.safeParse(text);
    if (parsed.success) values[name] = parsed.data;
    else faults.push({ variable: name, fault: parsed.error.issues[0]?.message ?? 'is not valid' });
  }
  if (faults.length > 0) throw invalid(faults);
  return values as Values;
}

function refuseWeakToken(host: string, token: string | undefined): void {
  if (token === undefined || isLoopbackHost(host) || token.length >= MIN_REMOTE_TOKEN_LENGTH) return;
  throw invalid([
    {
      variable: 'HOLDFAST_OPERATOR_TOKEN',
      fault: `must have at least ${MIN_REMOTE_TOKEN_LENGTH} characters, since HOLDFAST_GATEWAY_HOST=${host} can be reached from other machines`,
    },
  ]);
}

/** The values themselves stay out of the message where they may be secret. */
function invalid(faults: readonly { readonly variable: ConfigVariable; readonly fault: string }[]): ServiceError {
  const sentences = faults.map(
    ({ variable, fault }) => `${variable} ${fault} (example: ${variable}=${CONFIG_VARIABLES[variable].example})`,
  );
  return new ServiceError('config.invalid', sentences.join('; '), { detail: { variables: faults.map(({ variable }) => variable) } });
}

/** XDG says that a relative path in its variables is to be ignored. */
function xdgDirectory(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const path = environment[name];
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

function defaultStateDir(environment: NodeJS.ProcessEnv, instance: string): string {
  const home = environment['HOME'];
  const base =
    xdgDirectory(environment, 'XDG_STATE_HOME') ?? join(home !== undefined && isAbsolute(home) ? home : homedir(), '.local', 'state');
  return join(base, 'holdfast', instance);
}

function defaultRuntimeDir(environment: NodeJS.ProcessEnv, instance: string): string {
  const base = xdgDirectory(environment, 'XDG_RUNTIME_DIR');
  if (base !== undefined) return join(base, 'holdfast', instance);
  return join(xdgDirectory(environment, 'TMPDIR') ?? '/tmp', `holdfast-${userInfo().uid}`, instance);
}
