/** `/v1/reaper`, `/v1/hosts` and `/v1/health` of the real gateway through a real broker. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HOST_BEAT_TYPE, healthSchema, subjectRoot, subjects, type Health, type HostBeat, type HostList } from '@holdfast/contracts';
import { cloudEvent } from '@holdfast/platform-messaging';
import { startNatsServer, waitFor, watchForLeaks, type NatsServer } from '@holdfast/testing';
import { problem, startRig, type GatewayRig } from './gateway-rig.js';
import { INSTANCE, MemoryServices, PLAN, REAPER_STATUS } from './memory-services.js';

const leaks = watchForLeaks();
let nats: NatsServer;
let services: MemoryServices;
let rig: GatewayRig;
beforeAll(async () => {
  nats = await startNatsServer();
  services = await MemoryServices.start(nats.url);
  rig = await startRig({ HOLDFAST_NATS_URL: nats.url });
  await waitFor(async () => (await rig.request('/v1/reaper')).ok, { what: 'the reaper answers' });
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await services[Symbol.asyncDispose]();
  await nats[Symbol.asyncDispose]();
  await leaks.expectNone();
});

const json = async (path: string, init: RequestInit = {}): Promise<unknown> => (await rig.request(path, init)).json();
const health = async (): Promise<Health> => healthSchema.parse(await json('/v1/health'));
const healthOnce = (what: string, isSo: (now: Health) => boolean): Promise<Health> =>
  waitFor(
    async () => {
      const now = await health();
      return isSo(now) ? now : undefined;
    },
    { what },
  );

function beat(hostId: string, more: Partial<HostBeat> = {}): void {
  const data: HostBeat = {
    ...{ instance: INSTANCE, hostId, bootId: 'boot', term: 4, seq: 1, capacity: { sessions: 3, holders: 2 }, sessions: [], ...more },
  };
  const event = cloudEvent({ type: HOST_BEAT_TYPE, source: `/session-supervisor/${hostId}`, data });
  services.bus.publish(subjects.hostBeat(subjectRoot(INSTANCE), hostId), event);
}

describe('/v1/reaper', () => {
  it('gives status and plan', async () => {
    expect([await json('/v1/reaper'), await json('/v1/reaper/plan')]).toEqual([REAPER_STATUS, PLAN]);
  });

  it('sweeps for who asks', async () => {
    const response = await rig.request('/v1/reaper/sweep', { method: 'POST' });
    expect([response.status, await response.json(), services.sweptBy]).toEqual([200, PLAN, ['operator:operator']]);
  });

  it('gives the audit, with a limit that is capped', async () => {
    expect([await json('/v1/reaper/audit'), await json('/v1/reaper/audit?limit=99999'), services.auditLimits]).toEqual([
      { items: [] },
      { items: [] },
      [undefined, 1000],
    ]);
  });

  it.each([
    ['/v1/reaper/audit?limit=none', 'GET', undefined],
    ['/v1/reaper/sweep', 'POST', '{"force": true}'],
  ])('refuses what has not its form: %s', async (path, method, body) => {
    const init = body === undefined ? { method } : { method, body, headers: { 'content-type': 'application/json' } };
    expect(await problem(await rig.request(path, init))).toMatchObject({ status: 400, code: 'request.invalid' });
  });
});

describe('/v1/hosts', () => {
  it('lists the own host by its link and others by their beats, and nobody of another instance', async () => {
    const hosts = await waitFor(
      async () => {
        beat('far', { instance: 'another' });
        beat('host-z');
        const { items } = (await json('/v1/hosts')) as HostList;
        return items.length > 1 ? items : undefined;
      },
      { what: 'the beat is heard' },
    );
    const { supervisors } = await health();
    expect(hosts).toEqual([
      {
        ...{ hostId: supervisors[0]?.hostId, status: 'ok', link: 'up', term: supervisors[0]?.term },
        ...{ lastBeatAgoMs: null, capacity: null, sessions: null },
      },
      {
        ...{ hostId: 'host-z', status: 'ok', link: 'none', term: 4, lastBeatAgoMs: expect.any(Number) },
        ...{ capacity: { sessions: 3, holders: 2 }, sessions: 0 },
      },
    ]);
  });

  it('keeps the own host while its supervisor is away', async () => {
    const own = async () => ((await json('/v1/hosts')) as HostList).items[0];
    const before = await own();
    await rig.supervisor.stop();
    const away = await waitFor(async () => ((await own())?.link === 'down' ? own() : undefined), { what: 'the link is down' });
    await rig.supervisor.start();
    await waitFor(rig.isLinkUp, { what: 'the link is up again' });
    expect(away).toEqual({ ...before, link: 'down', status: 'unreachable' });
  });
});

describe('/v1/health', () => {
  it('shows the services and the counters of the reaper', async () => {
    const all = await healthOnce('all is well', ({ status }) => status === 'ok');
    expect(all).toMatchObject({ taskService: { status: 'ok' }, sessionReaper: { status: 'ok', ...REAPER_STATUS }, nats: { status: 'ok' } });
  });

  it('goes on when the services say nothing, and finds them again', async () => {
    services.fault = 'silent';
    const silent = await healthOnce('the silence is noticed', ({ sessionReaper }) => sessionReaper.status !== 'ok');
    services.fault = undefined;
    await healthOnce('all is well again', ({ status }) => status === 'ok');
    expect(silent).toMatchObject({
      ...{ status: 'degraded', nats: { status: 'ok' }, taskService: { status: 'unreachable' } },
      ...{ sessionReaper: { status: 'unreachable' }, supervisors: [{ status: 'ok' }] },
    });
  });

  it('goes on when the broker hangs', async () => {
    nats.freeze();
    const hung = await healthOnce('the silence is noticed', ({ taskService }) => taskService.status !== 'ok');
    nats.thaw();
    await healthOnce('all is well again', ({ status }) => status === 'ok');
    expect(hung).toMatchObject({ taskService: { status: 'unreachable' }, sessionReaper: { status: 'unreachable' } });
  });

  it('does not know of services without a broker', async () => {
    await using alone = await startRig();
    const { status, nats: broker, taskService, sessionReaper } = healthSchema.parse(await (await alone.request('/v1/health')).json());
    expect([status, broker, taskService, sessionReaper]).toEqual(['ok', ...[1, 2, 3].map(() => ({ status: 'unknown' }))]);
  });
});
