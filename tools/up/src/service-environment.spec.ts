/** Who is told what. */
import { describe, expect, it } from '@jest/globals';
import {
  gatewayEnvironment,
  programEnvironment,
  reaperEnvironment,
  supervisorEnvironment,
  taskServiceEnvironment,
} from './service-environment.js';

const own = {
  PATH: '/bin',
  LC_ALL: 'C.UTF-8',
  SOME_API_KEY: 'secret',
  CLAUDECODE: '1',
  HOLDFAST_OPERATOR_TOKEN: 'token-from-outside',
  HOLDFAST_JOURNAL_BYTES: '1048576',
  HOLDFAST_PUBLIC_ORIGIN: 'https://x.example.org',
  HOLDFAST_TRUSTED_PROXIES: '',
  HOLDFAST_DATABASE_URL: 'file:/d/tasks.db',
  HOLDFAST_REAP_INTERVAL_MS: '100',
};
const facts = { instance: 'blue', stateDir: '/s', runtimeDir: '/r', natsUrl: 'nats://n' };
const shared = {
  PATH: '/bin',
  LC_ALL: 'C.UTF-8',
  HOLDFAST_INSTANCE: 'blue',
  HOLDFAST_STATE_DIR: '/s',
  HOLDFAST_RUNTIME_DIR: '/r',
  HOLDFAST_NATS_URL: 'nats://n',
};

describe('service environments', () => {
  it('tells the supervisor about journals, and nobody but the gateway the token', () => {
    expect(supervisorEnvironment(own, facts)).toEqual({ ...shared, HOLDFAST_JOURNAL_BYTES: '1048576' });
  });

  it('tells the task service where its database is, and the reaper its limits', () => {
    expect(taskServiceEnvironment(own, facts)).toEqual({ ...shared, HOLDFAST_DATABASE_URL: 'file:/d/tasks.db' });
    expect(reaperEnvironment(own, facts)).toEqual({ ...shared, HOLDFAST_REAP_INTERVAL_MS: '100' });
  });

  it('tells the task service where to pause only when test hooks are on', () => {
    const pausing = { PATH: '/bin', LC_ALL: 'C.UTF-8', HOLDFAST_TEST_PAUSE_AT: 'commanded' };
    const hooked = { ...pausing, HOLDFAST_TEST_HOOKS: '1' };
    expect(taskServiceEnvironment(pausing, facts)).toEqual(shared);
    expect(taskServiceEnvironment(hooked, facts)).toEqual({ ...shared, HOLDFAST_TEST_HOOKS: '1', HOLDFAST_TEST_PAUSE_AT: 'commanded' });
    expect(supervisorEnvironment(hooked, facts)).toEqual(shared);
  });

  it.each([
    ['/c/node_modules/.bin:/node_modules/.bin:/n/lib/node_modules/npm/@npmcli/run-script/lib/node-gyp-bin:/usr/bin:/bin', '/usr/bin:/bin'],
    ['/opt/node-gyp-bin-tools:/home/ada/node_modules/.bin/:/bin', '/opt/node-gyp-bin-tools:/bin'],
    ['node_modules/.bin:/opt/node_modules/.binaries:/bin', 'node_modules/.bin:/opt/node_modules/.binaries:/bin'],
    ['/usr/bin::/bin', '/usr/bin::/bin'],
  ])('takes what npm added out of the search path %s', (searchPath, expected) => {
    expect(programEnvironment({ PATH: searchPath })).toEqual({ PATH: expected });
  });

  it('passes no search path on when there is none of the person’s own', () => {
    expect([programEnvironment({}), programEnvironment({ PATH: '/c/node_modules/.bin' })]).toEqual([{}, {}]);
  });

  it('tells a gateway its port, the token in force and its public face', () => {
    expect(gatewayEnvironment(own, { ...facts, port: 7071, operatorToken: 'kept', dashboardDir: '/d' })).toEqual({
      ...shared,
      HOLDFAST_GATEWAY_PORT: '7071',
      HOLDFAST_OPERATOR_TOKEN: 'kept',
      HOLDFAST_PUBLIC_ORIGIN: 'https://x.example.org',
      HOLDFAST_DASHBOARD_DIR: '/d',
    });
  });
});
