/** Who may in, and from where: the real gateway over HTTP and sockets. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { watchForLeaks, waitFor } from '@holdfast/testing';
import { request as httpRequest } from 'node:http';
import { TOKEN, problem, startRig, type GatewayRig } from './gateway-rig.js';

const leaks = watchForLeaks();
let rig: GatewayRig;
beforeAll(async () => void (rig = await startRig()));
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await leaks.expectNone();
});

/** `fetch` does not let anybody set Host. */
function rawPost(path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${rig.url}${path}`, { method: 'POST', headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end();
  });
}

function connectError(options: { auth?: object; headers?: Record<string, string> }): Promise<unknown> {
  return new Promise((resolve) => {
    const socket = rig.socket(options);
    socket.on('connect', () => resolve('connected'));
    socket.on('connect_error', (error) => resolve((error as Error & { data?: unknown }).data));
  });
}

async function signIn(): Promise<string> {
  const response = await fetch(`${rig.url}/v1/auth/session`, {
    method: 'POST',
    body: JSON.stringify({ token: TOKEN }),
    headers: { 'content-type': 'application/json' },
  });
  return response.headers.get('set-cookie') ?? '';
}

describe('credentials', () => {
  it('are not asked for health', async () => {
    const statuses = await Promise.all(['/healthz', '/readyz'].map(async (path) => (await fetch(`${rig.url}${path}`)).status));
    expect(statuses).toEqual([200, 200]);
  });

  it.each([
    ['none', {}, 'auth.required'],
    ['a wrong token', { authorization: 'Bearer nonsense' }, 'auth.invalid'],
    ['another scheme', { authorization: 'Basic b3BlcmF0b3I6' }, 'auth.invalid'],
    ['a forged cookie', { cookie: `holdfast-test=operator.${Number.MAX_SAFE_INTEGER}.AAAA` }, 'auth.invalid'],
  ])('%s: 401 as a problem', async (_what, headers, code) => {
    expect(await problem(await fetch(`${rig.url}/v1/sessions`, { headers }))).toMatchObject({
      status: 401,
      type: 'application/problem+json',
      code,
      retry: 'never',
    });
  });

  it('are exchanged for a cookie that only the server reads and that works for HTTP and sockets', async () => {
    const cookie = await signIn();
    const [pair = ''] = cookie.split(';');
    const { status } = await fetch(`${rig.url}/v1/sessions`, { headers: { cookie: pair } });
    expect(cookie).toMatch(/^holdfast-test=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
    expect([status, await connectError({ auth: {}, headers: { cookie: pair } })]).toEqual([200, 'connected']);
  });

  it('signing out clears the cookie', async () => {
    const response = await rig.request('/v1/auth/session', { method: 'DELETE' });
    expect([response.status, response.headers.get('set-cookie')]).toEqual([
      204,
      expect.stringContaining('holdfast-test=; Path=/; Max-Age=0'),
    ]);
  });

  it('that are wrong are refused on a socket by type', async () => {
    expect(await Promise.all([connectError({ auth: { token: 'nonsense' } }), connectError({ auth: {} })])).toEqual([
      { code: 'auth.invalid', retry: 'never' },
      { code: 'auth.required', retry: 'never' },
    ]);
  });

  it('that fail too often are answered 429 with the time to wait, and good ones still pass', async () => {
    const fail = (): Promise<Response> => fetch(`${rig.url}/v1/sessions`, { headers: { authorization: 'Bearer guess' } });
    const limited = await waitFor(
      async () => {
        const response = await fail();
        return response.status === 429 ? response : undefined;
      },
      { what: 'the limit is reached' },
    );
    expect([await problem(limited), Number(limited.headers.get('retry-after')) > 0, (await rig.request('/v1/sessions')).status]).toEqual([
      expect.objectContaining({ status: 429, code: 'auth.rate-limited', retry: 'safe' }),
      true,
      200,
    ]);
  });
});

describe('origin', () => {
  it.each([
    ['a foreign one', () => 'http://evil.example'],
    ['none of a page (null)', () => 'null'],
    ['ours on another port', () => 'http://127.0.0.1:1'],
    ['ours by https', () => rig.url.replace('http:', 'https:')],
  ])('%s is refused, for HTTP and sockets', async (_what, origin) => {
    const response = await rig.request('/v1/sessions', { method: 'POST', headers: { origin: origin() } });
    expect([await problem(response), await connectError({ auth: { token: TOKEN }, headers: { origin: origin() } })]).toEqual([
      expect.objectContaining({ status: 403, code: 'origin.refused' }),
      { code: 'origin.refused', retry: 'never' },
    ]);
  });

  it('of every loopback name on our port is allowed', async () => {
    const port = new URL(rig.url).port;
    const answers = await Promise.all(
      ['127.0.0.1', 'localhost', '[::1]'].map((host) =>
        connectError({ auth: { token: TOKEN }, headers: { origin: `http://${host}:${port}` } }),
      ),
    );
    expect(answers).toEqual(['connected', 'connected', 'connected']);
  });

  it('a foreign Host is refused: that is what DNS rebinding looks like', async () => {
    const headers = { authorization: `Bearer ${TOKEN}`, host: 'evil.example' };
    expect([
      await rawPost('/v1/sessions', headers),
      await connectError({ auth: { token: TOKEN }, headers: { host: 'evil.example' } }),
    ]).toEqual([403, { code: 'origin.refused', retry: 'never' }]);
  });

  it('is checked for signing in too', async () => {
    expect(await rawPost('/v1/auth/session', { origin: 'http://evil.example' })).toBe(403);
  });
});
