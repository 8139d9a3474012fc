/** Every answer that is no success becomes a `ServiceError` a caller can act on. */
import { describe, expect, it } from '@jest/globals';
import { HttpTransport } from './http-transport.js';

const answering = (response: Response | Error | DOMException) =>
  new HttpTransport({
    baseUrl: 'http://gateway/',
    token: 'secret',
    fetch: () => (response instanceof Response ? Promise.resolve(response) : Promise.reject(response)),
  });
const problem = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/problem+json' } });

describe('HttpTransport', () => {
  it('carries code, retry and the facts of a problem', async () => {
    const body = {
      type: 'about:blank',
      title: 'Gone',
      status: 410,
      detail: 'pruned',
      code: 'session.output-pruned',
      retry: 'never',
      earliestOffset: 4096,
    };
    await expect(answering(problem(410, body)).json({ method: 'GET', path: '/x' })).rejects.toMatchObject({
      code: 'session.output-pruned',
      retry: 'never',
      message: 'pruned',
      detail: { earliestOffset: 4096 },
    });
  });

  it('says where a request was invalid', async () => {
    const body = {
      detail: 'invalid',
      code: 'request.invalid',
      retry: 'never',
      errors: [{ path: 'cwd', message: 'must be an absolute path' }],
    };
    await expect(answering(problem(400, body)).json({ method: 'POST', path: '/x', body: {} })).rejects.toMatchObject({
      code: 'request.invalid',
      detail: { errors: ['cwd: must be an absolute path'] },
    });
  });

  it.each([
    [new Response('<html>bad gateway</html>', { status: 502 }), 'host.unreachable', 'safe'],
    [new Response('', { status: 401 }), 'auth.required', 'never'],
    [new Response('boom', { status: 500 }), 'internal', 'unknown'],
    [new Response('no json'), 'protocol.malformed', 'never'],
    [new TypeError('fetch failed'), 'host.unreachable', 'safe'],
    [new DOMException('late', 'TimeoutError'), 'deadline.exceeded', 'unknown'],
  ])('turns %p into %s', async (answer, code, retry) => {
    await expect(answering(answer).json({ method: 'GET', path: '/x' })).rejects.toMatchObject({ code, retry });
  });

  it('does not claim that an unanswered POST did nothing', async () => {
    await expect(answering(new TypeError('fetch failed')).nothing({ method: 'POST', path: '/x' })).rejects.toMatchObject({
      code: 'host.unreachable',
      retry: 'unknown',
    });
  });

  it('sends bytes as they are and everything else as JSON, with the token', async () => {
    const calls: [string, RequestInit | undefined][] = [];
    const http = new HttpTransport({
      baseUrl: 'http://gateway/',
      token: 'secret',
      fetch: async (url, init) => {
        calls.push([String(url), init]);
        return new Response('{}');
      },
    });
    await http.json({ method: 'POST', path: '/v1/a', query: { from: 0, epoch: undefined }, body: Uint8Array.of(0, 255) });
    await http.json({ method: 'POST', path: '/v1/b', body: { text: 'x' } });
    expect(calls.map(([url, init]) => [url, init?.headers, init?.body])).toEqual([
      [
        'http://gateway/v1/a?from=0',
        { accept: 'application/json', authorization: 'Bearer secret', 'content-type': 'application/octet-stream' },
        Uint8Array.of(0, 255),
      ],
      [
        'http://gateway/v1/b',
        { accept: 'application/json', authorization: 'Bearer secret', 'content-type': 'application/json' },
        '{"text":"x"}',
      ],
    ]);
  });
});
