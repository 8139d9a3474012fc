/** `/v1/tasks` of the real gateway through a real broker, with the task service there, refusing, silent and away. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Task, TaskFact } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import { startNatsServer, waitFor, watchForLeaks, type NatsServer } from '@holdfast/testing';
import { problem, startRig, type GatewayRig } from './gateway-rig.js';
import { MemoryServices } from './memory-services.js';

const leaks = watchForLeaks();
let nats: NatsServer;
let services: MemoryServices;
let rig: GatewayRig;
beforeAll(async () => {
  nats = await startNatsServer();
  services = await MemoryServices.start(nats.url);
  rig = await startRig({ HOLDFAST_NATS_URL: nats.url });
  await serviceAnswers();
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await services[Symbol.asyncDispose]();
  await nats[Symbol.asyncDispose]();
  await leaks.expectNone();
});

const serviceAnswers = () => waitFor(async () => (await rig.request('/v1/tasks')).ok, { what: 'the task service answers' });
const body = (more: object = {}) => ({ title: 'Build', agent: { kind: 'command', args: ['make'] }, ...more });
const post = (path: string, json: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  rig.request(path, { method: 'POST', body: JSON.stringify(json), headers: { 'content-type': 'application/json', ...headers } });

/** Answers as `faultWhile` left them, and the fault gone again. */
async function under<Answer>(fault: MemoryServices['fault'], ask: () => Promise<Answer>): Promise<Answer> {
  services.fault = fault;
  try {
    return await ask();
  } finally {
    services.fault = undefined;
  }
}

describe('create', () => {
  it('gives 201, and 200 with the first task when the key comes again', async () => {
    const create = (): Promise<Response> => post('/v1/tasks', body(), { 'idempotency-key': 'once' });
    const responses = [await create(), await create()];
    const [first, again] = (await Promise.all(responses.map((response) => response.json()))) as Task[];
    expect([responses.map(({ status }) => status), again, first?.owner, responses[0]?.headers.get('location')]).toEqual([
      [201, 200],
      first,
      'operator:operator',
      `/v1/tasks/${first?.taskId ?? ''}`,
    ]);
  });

  it.each([
    ['a body that has not its form', { title: '', agent: { kind: 'command' }, colour: 'red' }, {}, ['title', 'agent.args']],
    ['a key that is too long', body(), { 'idempotency-key': 'x'.repeat(201) }, ['Idempotency-Key']],
  ])('refuses %s with what is wrong where', async (_what, json, headers, paths) => {
    const answer = await problem(await post('/v1/tasks', json, headers));
    expect(answer).toMatchObject({ status: 400, code: 'request.invalid', type: 'application/problem+json' });
    expect((answer['errors'] as { path: string }[]).map(({ path }) => path)).toEqual(expect.arrayContaining(paths));
  });
});

describe('a task', () => {
  it('is launched, ended and reopened, and its history says by whom', async () => {
    await post('/v1/tasks', body({ taskId: 'life' }));
    const steps = [
      await post('/v1/tasks/life/launch', {}),
      await post('/v1/tasks/life/cancel', { reason: 'not needed' }),
      await rig.request('/v1/tasks/life/reopen', { method: 'POST' }),
      await rig.request('/v1/tasks/life'),
    ];
    const statuses = await Promise.all(steps.map(async (response) => [response.status, ((await response.json()) as Task).status]));
    const { items } = (await (await rig.request('/v1/tasks/life/events')).json()) as { items: TaskFact[] };
    expect([statuses, items.map(({ verb, by, reason }) => [verb, by, reason?.text])]).toEqual([
      [
        [200, 'pending'],
        [200, 'cancelled'],
        [200, 'open'],
        [200, 'open'],
      ],
      [
        ['created', 'operator:operator', undefined],
        ['launched', 'operator:operator', undefined],
        ['cancelled', 'operator:operator', 'not needed'],
        ['reopened', 'operator:operator', 'not needed'],
      ],
    ]);
  });

  it('is found by its status, and a limit that is too large is capped', async () => {
    await post('/v1/tasks', body({ taskId: 'waiting' }));
    await post('/v1/tasks/waiting/launch', {});
    const { items } = (await (await rig.request('/v1/tasks?status=pending&limit=100000')).json()) as { items: Task[] };
    expect(items.map(({ taskId }) => taskId)).toEqual(['waiting']);
  });

  it.each([
    ['that is not there', '/v1/tasks/missing/launch', {}, 404, 'task.not-found'],
    ['with an id that is none', '/v1/tasks/..%2Fevil/launch', {}, 400, 'request.invalid'],
    ['asked for something else besides', '/v1/tasks/life/complete', { because: 'x' }, 400, 'request.invalid'],
    ['in a status without that way out', '/v1/tasks/waiting/complete', {}, 409, 'task.illegal-transition'],
  ])('%s: a problem', async (_what, path, json, status, code) => {
    expect(await problem(await post(path, json))).toMatchObject({ status, code, type: 'application/problem+json' });
  });

  it('in a wrong status: the problem names what is allowed', async () => {
    expect(await problem(await post('/v1/tasks/waiting/reopen', {}))).toMatchObject({ allowed: ['cancel'], action: 'reopen' });
  });

  it('needs credentials', async () => {
    const answers = await Promise.all(
      ['/v1/tasks', '/v1/tasks/life/events', '/v1/reaper/plan', '/v1/hosts'].map((p) => fetch(rig.url + p)),
    );
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  });
});

describe('a task service', () => {
  it('that is busy: 429 with the time to wait', async () => {
    const busy = new ServiceError('task.launch-rate', 'too many launches', { detail: { owner: 'operator:operator', retryAfterMs: 4_200 } });
    const response = await under(busy, () => post('/v1/tasks', body({ launch: true })));
    expect([response.headers.get('retry-after'), await problem(response)]).toEqual([
      '5',
      expect.objectContaining({ status: 429, code: 'task.launch-rate', retry: 'safe', retryAfterMs: 4_200 }),
    ]);
  });

  it('that says nothing: 503, which may be sent again where that cannot do it twice', async () => {
    const answers = await under('silent', () =>
      Promise.all([
        rig.request('/v1/tasks').then(problem),
        post('/v1/tasks', body()).then(problem),
        post('/v1/tasks', body(), { 'idempotency-key': 'silent' }).then(problem),
        post('/v1/tasks/life/launch', {}).then(problem),
      ]),
    );
    expect(answers.map(({ status, code, retry }) => [status, code, retry])).toEqual([
      [503, 'service.unreachable', 'safe'],
      [503, 'service.unreachable', 'unknown'],
      [503, 'service.unreachable', 'safe'],
      [503, 'service.unreachable', 'unknown'],
    ]);
  });

  it('that is away: 503, and back without ado', async () => {
    await services.leave();
    const away = await problem(await waitFor(() => refused('/v1/tasks'), { what: 'the broker knows' }));
    services.serve();
    await serviceAnswers();
    expect(away).toMatchObject({ status: 503, code: 'service.unreachable', retry: 'safe' });
  });

  it('whose broker is away: 503, while sessions go on', async () => {
    await nats.stop();
    const away = await problem(await waitFor(() => refused('/v1/tasks'), { what: 'the gateway noticed' }));
    const session = await rig.json('/v1/sessions', 'POST', { command: ['cat'] });
    await nats.restart();
    await serviceAnswers();
    expect([away, session.status]).toEqual([expect.objectContaining({ status: 503, code: 'service.unreachable', retry: 'safe' }), 201]);
  });

  it('of a gateway without a broker: 503', async () => {
    await using alone = await startRig();
    expect(await problem(await alone.request('/v1/tasks'))).toMatchObject({ status: 503, code: 'service.unreachable' });
  });
});

async function refused(path: string): Promise<Response | undefined> {
  const response = await rig.request(path);
  return response.ok ? undefined : response;
}
