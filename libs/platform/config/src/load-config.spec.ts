/** What each variable accepts, what it becomes, and what is said about a bad one. */
import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@holdfast/kernel';
import { userInfo } from 'node:os';
import { configWarnings, exitCodeOf, loadConfig } from './index.js';

function faultOf(environment: NodeJS.ProcessEnv): string {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'config.invalid') return error.message;
    throw error;
  }
  throw new Error('was accepted');
}

describe('loadConfig', () => {
  it('gives the documented defaults for an empty environment', () => {
    expect(loadConfig({ HOME: '/home/ada' })).toEqual({
      instance: 'default',
      stateDir: '/home/ada/.local/state/holdfast/default',
      runtimeDir: `/tmp/holdfast-${userInfo().uid}/default`,
      gateway: { host: '127.0.0.1', port: 7070, trustedProxies: [] },
      sessionsPerHolder: 8,
      holderLauncher: 'local',
      backend: 'holder',
      journal: { sessionBytes: 67_108_864, totalBytes: 2_147_483_648 },
      databaseUrl: 'file:/home/ada/.local/state/holdfast/default/tasks.db',
      leftoverGraceMs: 60_000,
      reaper: {
        enabled: true,
        orphanAgeMs: 86_400_000,
        pressureSessions: 20,
        orphanAgeUnderPressureMs: 7_200_000,
        terminalTaskGraceMs: 60_000,
        intervalMs: 5_000,
        maxPerSweep: 10,
      },
    });
  });

  it('puts every instance into directories of its own below the XDG ones', () => {
    const config = loadConfig({ HOLDFAST_INSTANCE: 'blue', XDG_STATE_HOME: '/s', XDG_RUNTIME_DIR: '/run/user/7' });
    expect([config.stateDir, config.runtimeDir]).toEqual(['/s/holdfast/blue', '/run/user/7/holdfast/blue']);
  });

  it('ignores relative XDG directories, as their specification says', () => {
    expect(loadConfig({ HOME: '/home/ada', XDG_STATE_HOME: 'state' }).stateDir).toBe('/home/ada/.local/state/holdfast/default');
  });

  it('takes every variable', () => {
    const config = loadConfig({
      HOLDFAST_INSTANCE: 'blue',
      HOLDFAST_STATE_DIR: '/s/',
      HOLDFAST_RUNTIME_DIR: '/r',
      HOLDFAST_NATS_URL: 'nats://u:p@127.0.0.1:4222',
      HOLDFAST_GATEWAY_HOST: '0.0.0.0',
      HOLDFAST_GATEWAY_PORT: '0',
      HOLDFAST_PUBLIC_ORIGIN: 'https://holdfast.example.org',
      HOLDFAST_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8,::1',
      HOLDFAST_OPERATOR_TOKEN: 'a'.repeat(24),
      HOLDFAST_SESSIONS_PER_HOLDER: '1',
      HOLDFAST_BACKEND: 'tmux',
      HOLDFAST_HOLDER_LAUNCHER: 'starter',
      HOLDFAST_JOURNAL_BYTES: '1048576',
      HOLDFAST_JOURNALS_TOTAL_BYTES: '4194304',
      HOLDFAST_DATABASE_URL: 'file:/d/tasks.db',
      HOLDFAST_LEFTOVER_GRACE_MS: '0',
      HOLDFAST_REAP_ORPHAN_SESSIONS: 'off',
      HOLDFAST_REAP_ORPHAN_AGE_MS: '1000',
      HOLDFAST_REAP_PRESSURE_SESSIONS: '3',
      HOLDFAST_REAP_ORPHAN_AGE_UNDER_PRESSURE_MS: '0',
      HOLDFAST_REAP_TERMINAL_TASK_GRACE_MS: '7',
      HOLDFAST_REAP_INTERVAL_MS: '100',
      HOLDFAST_REAP_MAX_PER_SWEEP: '2',
      HOLDFAST_DASHBOARD_DIR: '/d',
    });
    expect(config).toEqual({
      instance: 'blue',
      stateDir: '/s',
      runtimeDir: '/r',
      natsUrl: 'nats://u:p@127.0.0.1:4222',
      gateway: {
        host: '0.0.0.0',
        port: 0,
        publicOrigin: 'https://holdfast.example.org',
        operatorToken: 'a'.repeat(24),
        trustedProxies: ['127.0.0.1', '10.0.0.0/8', '::1'],
      },
      sessionsPerHolder: 1,
      holderLauncher: 'starter',
      backend: 'tmux',
      journal: { sessionBytes: 1_048_576, totalBytes: 4_194_304 },
      databaseUrl: 'file:/d/tasks.db',
      leftoverGraceMs: 0,
      reaper: {
        enabled: false,
        orphanAgeMs: 1000,
        pressureSessions: 3,
        orphanAgeUnderPressureMs: 0,
        terminalTaskGraceMs: 7,
        intervalMs: 100,
        maxPerSweep: 2,
      },
      dashboardDir: '/d',
    });
  });

  it.each([
    ['HOLDFAST_INSTANCE', 'Blue', 'lower-case'],
    ['HOLDFAST_INSTANCE', '../x', 'lower-case'],
    ['HOLDFAST_STATE_DIR', 'state', 'absolute'],
    ['HOLDFAST_RUNTIME_DIR', './run', 'absolute'],
    ['HOLDFAST_NATS_URL', 'http://127.0.0.1', 'nats://'],
    ['HOLDFAST_GATEWAY_HOST', 'a b', 'IP address'],
    ['HOLDFAST_GATEWAY_PORT', '70000', '0 to 65535'],
    ['HOLDFAST_GATEWAY_PORT', '-1', 'whole number'],
    ['HOLDFAST_GATEWAY_PORT', '0x10', 'whole number'],
    ['HOLDFAST_PUBLIC_ORIGIN', 'https://holdfast.example.org/', 'trailing slash'],
    ['HOLDFAST_TRUSTED_PROXIES', '10.0.0.0/33', 'CIDR'],
    ['HOLDFAST_OPERATOR_TOKEN', 'two words', 'printable'],
    ['HOLDFAST_SESSIONS_PER_HOLDER', '0', '1 to 64'],
    ['HOLDFAST_BACKEND', 'screen', 'one of holder'],
    ['HOLDFAST_HOLDER_LAUNCHER', 'docker', 'local or starter'],
    ['HOLDFAST_JOURNAL_BYTES', '64MiB', 'whole number'],
    ['HOLDFAST_DATABASE_URL', 'file:./tasks.db', 'absolute path'],
    ['HOLDFAST_DATABASE_URL', 'postgres://db/tasks', 'SQLite'],
    ['HOLDFAST_LEFTOVER_GRACE_MS', '1.5', 'whole number'],
    ['HOLDFAST_REAP_ORPHAN_SESSIONS', 'maybe', 'on or off'],
    ['HOLDFAST_REAP_ORPHAN_AGE_MS', '24h', 'whole number'],
    ['HOLDFAST_REAP_INTERVAL_MS', '0', '100 to 3600000'],
    ['HOLDFAST_REAP_MAX_PER_SWEEP', '0', '1 to 1000'],
  ])('refuses %s=%s, naming the variable, its fault and an example', (name, value, fault) => {
    const message = faultOf({ [name]: value });
    expect(message).toContain(`${name} must be`);
    expect(message).toContain(fault);
    expect(message).toContain(`example: ${name}=`);
  });

  it('names every bad variable at once', () => {
    expect(faultOf({ HOLDFAST_GATEWAY_PORT: 'x', HOLDFAST_BACKEND: 'y' })).toMatch(/HOLDFAST_GATEWAY_PORT .*; HOLDFAST_BACKEND /);
  });

  it('never repeats a secret', () => {
    expect(faultOf({ HOLDFAST_OPERATOR_TOKEN: 'open sesame', HOLDFAST_NATS_URL: 'http://u:hunter2@x' })).not.toMatch(/sesame|hunter2/);
  });

  it('wants a long token as soon as other machines can reach the gateway', () => {
    expect(faultOf({ HOLDFAST_GATEWAY_HOST: '0.0.0.0', HOLDFAST_OPERATOR_TOKEN: 'short' })).toContain('at least 24 characters');
    expect(loadConfig({ HOLDFAST_GATEWAY_HOST: '127.0.0.2', HOLDFAST_OPERATOR_TOKEN: 'short' }).gateway.operatorToken).toBe('short');
  });

  it('takes an empty variable as absent', () => {
    expect(loadConfig({ HOLDFAST_GATEWAY_PORT: '' }).gateway.port).toBe(7070);
  });
});

describe('configWarnings', () => {
  it('reports variables of ours that nothing reads, and nothing else', () => {
    expect(configWarnings({ HOLDFAST_GATEWAY_PROT: '1', HOLDFAST_SESSION_ID: 'x', HOLDFAST_INSTANCE: 'a', PATH: '/bin' })).toEqual([
      'HOLDFAST_GATEWAY_PROT is set, but this version does not use it',
    ]);
  });
});

describe('exitCodeOf', () => {
  it('tells a bad configuration and a second start from any other failure', () => {
    const codes = (['config.invalid', 'config.socket-path-too-long', 'instance.in-use', 'internal'] as const).map((code) =>
      exitCodeOf(new ServiceError(code, 'x')),
    );
    expect([...codes, exitCodeOf(new Error('x'))]).toEqual([5, 5, 4, 1, 1]);
  });
});
