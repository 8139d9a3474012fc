/** `/v1/sessions` of the real gateway against the in-test supervisor. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { watchForLeaks } from '@holdfast/testing';
import { problem, startRig, type GatewayRig } from './gateway-rig.js';

const leaks = watchForLeaks();
let rig: GatewayRig;
beforeAll(async () => void (rig = await startRig()));
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await leaks.expectNone();
});

const octets = (body: string | Uint8Array): RequestInit => ({
  method: 'POST',
  body: body as string,
  headers: { 'content-type': 'application/octet-stream' },
});

describe('create', () => {
  it('gives 201, 200 for the same again, and 409 for another spec under the id', async () => {
    const create = (command: string[]): Promise<Response> => rig.json('/v1/sessions', 'POST', { sessionId: 'made', command });
    const responses = [await create(['cat']), await create(['cat']), await create(['dog'])];
    const [session] = (await Promise.all(responses.map((response) => response.json()))) as { owner: string }[];
    expect([responses.map(({ status }) => status), session?.owner, responses[0]?.headers.get('location')]).toEqual([
      [201, 200, 409],
      'operator:operator',
      '/v1/sessions/made',
    ]);
  });

  it('names what is wrong where', async () => {
    expect(await problem(await rig.json('/v1/sessions', 'POST', { sessionId: '../evil', command: [], colour: 'red' }))).toMatchObject({
      status: 400,
      code: 'request.invalid',
      errors: expect.arrayContaining([expect.objectContaining({ path: 'sessionId' }), expect.objectContaining({ path: 'command' })]),
    });
  });
});

describe('list', () => {
  it('pages by session id, filters, and caps a limit that is too large', async () => {
    for (const id of ['page-c', 'page-a', 'page-b']) rig.supervisor.add(id);
    rig.supervisor.session('page-b').end({ code: 0 });
    const list = async (query: string): Promise<{ items: { sessionId: string }[]; nextCursor?: string }> =>
      (await (await rig.request(`/v1/sessions?${query}`)).json()) as never;
    const first = await list('limit=2&cursor=page');
    const second = await list(`limit=2&cursor=${first.nextCursor ?? ''}`);
    const ended = await list('state=exited&limit=100000&owner=operator:operator');
    const ids = ({ items }: { items: { sessionId: string }[] }): string[] => items.map(({ sessionId }) => sessionId);
    expect([ids(first), ids(second), second.nextCursor, ids(ended)]).toEqual([['page-a', 'page-b'], ['page-c'], undefined, ['page-b']]);
  });
});

describe('errors', () => {
  it.each([
    ['an unknown route', '/v1/nowhere', {}, 404, 'route.not-found'],
    ['an unknown session', '/v1/sessions/missing', {}, 404, 'session.not-found'],
    ['an id that is none', '/v1/sessions/..%2Fevil', {}, 400, 'request.invalid'],
    ['a broken escape', '/v1/sessions/%zz', {}, 400, 'request.invalid'],
    ['broken JSON', '/v1/sessions', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }, 400, 'request.invalid'],
    [
      'another content type',
      '/v1/sessions',
      { method: 'POST', body: 'a=1', headers: { 'content-type': 'text/plain' } },
      415,
      'request.not-acceptable',
    ],
    [
      'a JSON body over 1 MiB',
      '/v1/sessions',
      { method: 'POST', body: `"${'x'.repeat(1_050_000)}"`, headers: { 'content-type': 'application/json' } },
      413,
      'request.too-large',
    ],
    ['a bad limit', '/v1/sessions?limit=0', {}, 400, 'request.invalid'],
    ['no dashboard', '/', {}, 404, 'route.not-found'],
  ])('%s is a problem', async (_what, path, init, status, code) => {
    expect(await problem(await rig.request(path, init as RequestInit))).toMatchObject({
      status,
      type: 'application/problem+json',
      code,
      retry: 'never',
    });
  });

  it('a bad id is named', async () => {
    expect((await problem(await rig.request('/v1/sessions/..%2Fevil')))['detail']).toContain('../evil');
  });
});

describe('output', () => {
  it('gives the raw bytes and where to go on, in pieces or at once', async () => {
    const session = rig.supervisor.add('output');
    session.write(Buffer.from(Array.from({ length: 3_000_000 }, (_unused, index) => index % 256)));
    const all = await rig.request('/v1/sessions/output/output?limit=99999999');
    const middle = await rig.request('/v1/sessions/output/output?from=1000&limit=7&epoch=1');
    const end = await rig.request('/v1/sessions/output/output?from=3000000');
    const facts = async (response: Response) => {
      const bytes = Buffer.from(await response.arrayBuffer());
      const { headers } = response;
      return [
        response.status,
        headers.get('content-type'),
        headers.get('holdfast-offset'),
        headers.get('holdfast-next-offset'),
        bytes.equals(session.output.subarray(Number(headers.get('holdfast-offset')), Number(headers.get('holdfast-next-offset')))),
      ];
    };
    expect([await facts(all), await facts(middle), await facts(end)]).toEqual([
      [200, 'application/octet-stream', '0', '3000000', true],
      [200, 'application/octet-stream', '1000', '1007', true],
      [200, 'application/octet-stream', '3000000', '3000000', true],
    ]);
  });

  it('tells the earliest offset when what was asked for is pruned', async () => {
    const session = rig.supervisor.add('pruned');
    session.write('x'.repeat(1_000));
    session.earliestOffset = 400;
    expect(await problem(await rig.request('/v1/sessions/pruned/output?from=10'))).toMatchObject({
      status: 410,
      code: 'session.output-pruned',
      earliestOffset: 400,
    });
  });
});

describe('a handle', () => {
  it('of another epoch is refused everywhere', async () => {
    rig.supervisor.add('handle').write('x');
    const headers = { 'holdfast-epoch': '2' };
    const calls: [string, RequestInit][] = [
      ['', {}],
      ['/output', {}],
      ['/input', { ...octets('x'), headers: { ...headers, 'content-type': 'application/octet-stream' } }],
      ['/resize', { method: 'POST', body: '{"cols":80,"rows":24}', headers: { ...headers, 'content-type': 'application/json' } }],
      ['', { method: 'DELETE' }],
    ];
    const codes = await Promise.all(
      calls.map(
        async ([path, init]) =>
          (await problem(await rig.request(`/v1/sessions/handle${path}`, { headers, ...init, ...(init.headers ? {} : { headers }) }))).code,
      ),
    );
    expect(codes).toEqual(Array(5).fill('session.stale-handle'));
  });
});

describe('input', () => {
  it('takes raw bytes, text and keys', async () => {
    const session = rig.supervisor.add('input');
    const raw = Uint8Array.from({ length: 256 }, (_unused, index) => index);
    await rig.request('/v1/sessions/input/input', octets(raw));
    await rig.json('/v1/sessions/input/input', 'POST', { text: 'é' });
    const keys = await rig.json('/v1/sessions/input/input', 'POST', { keys: ['C-c', 'Up', 'Enter'] });
    expect([session.input.map(({ bytes }) => bytes), await keys.json()]).toEqual([
      [Buffer.from(raw), Buffer.from('é'), Buffer.from('\x03\x1b[A\r')],
      { accepted: 5 },
    ]);
  });

  it.each([
    ['a paste', { paste: 'x' }, 501, 'feature.unavailable'],
    ['two forms at once', { text: 'x', keys: ['Up'] }, 400, 'request.invalid'],
    ['an unknown key', { keys: ['Any'] }, 400, 'request.invalid'],
  ])('refuses %s', async (_what, body, status, code) => {
    rig.supervisor.add('refuses');
    expect(await problem(await rig.json('/v1/sessions/refuses/input', 'POST', body))).toMatchObject({ status, code });
  });

  it('refuses more than one write can hold', async () => {
    rig.supervisor.add('large');
    expect(await problem(await rig.request('/v1/sessions/large/input', octets('x'.repeat(1_048_577))))).toMatchObject({
      status: 413,
      code: 'request.too-large',
    });
  });
});

describe('resize and kill', () => {
  it('reach the session', async () => {
    const session = rig.supervisor.add('end');
    const resized = await (await rig.json('/v1/sessions/end/resize', 'POST', { cols: 100, rows: 30 })).json();
    const report = await (await rig.request('/v1/sessions/end?purge=true', { method: 'DELETE' })).json();
    expect([resized, session.sizeAt(0), report]).toEqual([
      { cols: 100, rows: 30, offset: 0 },
      { cols: 100, rows: 30 },
      expect.objectContaining({ sessionId: 'end', exit: { signal: 'SIGTERM' } }),
    ]);
  });
});

describe('while the supervisor is away', () => {
  it('a call is 503 with a safe retry, the gateway stays ready, and the next one after its return succeeds', async () => {
    await rig.supervisor.stop();
    const refused = await problem(await rig.request('/v1/sessions'));
    const ready = (await fetch(`${rig.url}/readyz`)).status;
    const health = (await (await rig.request('/v1/health')).json()) as { status: string };
    await rig.supervisor.start();
    for (let up = false; !up;) up = await rig.isLinkUp();
    expect([refused, ready, health.status, (await rig.request('/v1/sessions')).status]).toEqual([
      expect.objectContaining({ status: 503, code: 'host.unreachable', retry: 'safe' }),
      200,
      'degraded',
      200,
    ]);
  });
});
