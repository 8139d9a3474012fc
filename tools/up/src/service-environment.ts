/** What each service is told, and nothing more: secrets and settings go only where they are used. */

/** Taken over from our own environment for every service: what programs need to run, and what sessions inherit. */
const INHERITED = [
  'HOME',
  'LANG',
  'LOGNAME',
  'NODE_EXTRA_CA_CERTS',
  'PATH',
  'SHELL',
  'SSL_CERT_FILE',
  'TMPDIR',
  'TZ',
  'USER',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  'XDG_STATE_HOME',
];

const SUPERVISOR = [
  'HOLDFAST_SESSIONS_PER_HOLDER',
  'HOLDFAST_BACKEND',
  'HOLDFAST_JOURNAL_BYTES',
  'HOLDFAST_JOURNALS_TOTAL_BYTES',
  'HOLDFAST_LEFTOVER_GRACE_MS',
];
const TASK_SERVICE = ['HOLDFAST_DATABASE_URL', 'HOLDFAST_WEBHOOK_HOSTS', 'HOLDFAST_WEBHOOK_SECRET_FILE'];
/** Where a launch pauses, to be killed there by a test. */
const TEST_HOOKS = ['HOLDFAST_TEST_HOOKS', 'HOLDFAST_TEST_PAUSE_AT'];
const GATEWAY = ['HOLDFAST_GATEWAY_HOST', 'HOLDFAST_PUBLIC_ORIGIN', 'HOLDFAST_TRUSTED_PROXIES'];

/** Facts that are the same for all services of an instance. */
export interface InstanceFacts {
  readonly instance: string;
  readonly stateDir: string;
  readonly runtimeDir: string;
  readonly natsUrl: string;
}

export function programEnvironment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const environment = { ...own, PATH: withoutNpmDirectories(own['PATH'] ?? '') };
  return pick(environment, (name) => INHERITED.includes(name) || name.startsWith('LC_'));
}

/**
 * `npm run` puts `node_modules/.bin` of the checkout and of every directory above it, and a `node-gyp-bin`, before the search path:
 * a session's `tsc` would be ours. Nothing tells which of them the person had there before; those go too. Relative ones are the person's.
 */
function withoutNpmDirectories(searchPath: string): string {
  return searchPath
    .split(':')
    .filter((directory) => !/^\/(.*\/)?(node_modules\/\.bin|node-gyp-bin)\/*$/.test(directory))
    .join(':');
}

export function supervisorEnvironment(own: NodeJS.ProcessEnv, facts: InstanceFacts): NodeJS.ProcessEnv {
  return { ...programEnvironment(own), ...common(facts), ...pick(own, (name) => SUPERVISOR.includes(name)) };
}

export function taskServiceEnvironment(own: NodeJS.ProcessEnv, facts: InstanceFacts): NodeJS.ProcessEnv {
  const wanted = own['HOLDFAST_TEST_HOOKS'] === '1' ? [...TASK_SERVICE, ...TEST_HOOKS] : TASK_SERVICE;
  return { ...programEnvironment(own), ...common(facts), ...pick(own, (name) => wanted.includes(name)) };
}

export function reaperEnvironment(own: NodeJS.ProcessEnv, facts: InstanceFacts): NodeJS.ProcessEnv {
  return { ...programEnvironment(own), ...common(facts), ...pick(own, (name) => name.startsWith('HOLDFAST_REAP_')) };
}

export interface GatewayFacts extends InstanceFacts {
  readonly port: number;
  readonly operatorToken: string;
  readonly dashboardDir: string | undefined;
}

export function gatewayEnvironment(own: NodeJS.ProcessEnv, facts: GatewayFacts): NodeJS.ProcessEnv {
  return {
    ...programEnvironment(own),
    ...common(facts),
    ...pick(own, (name) => GATEWAY.includes(name)),
    HOLDFAST_GATEWAY_PORT: String(facts.port),
    HOLDFAST_OPERATOR_TOKEN: facts.operatorToken,
    ...(facts.dashboardDir === undefined ? {} : { HOLDFAST_DASHBOARD_DIR: facts.dashboardDir }),
  };
}

function common(facts: InstanceFacts): NodeJS.ProcessEnv {
  return {
    HOLDFAST_INSTANCE: facts.instance,
    HOLDFAST_STATE_DIR: facts.stateDir,
    HOLDFAST_RUNTIME_DIR: facts.runtimeDir,
    HOLDFAST_NATS_URL: facts.natsUrl,
  };
}

function pick(environment: NodeJS.ProcessEnv, wanted: (name: string) => boolean): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name, value]) => wanted(name) && value !== undefined && value !== ''));
}
