/** Bad requests: each gets a typed problem, and none leaves anything behind. */
import { ID_PATTERN } from '@holdfast/kernel';
import { problemSchema } from '@holdfast/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { startRig, type Rig } from '../src/index.js';

const SESSIONS = '/v1/sessions';
const shell = { command: ['sh', '-c', 'sleep 600'] };

/** [what, method, path, body, status, code] */
const CASES: readonly (readonly [string, string, string, unknown, number, string])[] = [
  ['no body', 'POST', SESSIONS, undefined, 400, 'request.invalid'],
  ['broken JSON', 'POST', SESSIONS, '{"command": [', 400, 'request.invalid'],
  ['a body that is no object', 'POST', SESSIONS, [], 400, 'request.invalid'],
  ['no command', 'POST', SESSIONS, {}, 400, 'request.invalid'],
  ['an empty command', 'POST', SESSIONS, { command: [] }, 400, 'request.invalid'],
  ['a command that is a string', 'POST', SESSIONS, { command: 'bash' }, 400, 'request.invalid'],
  ['an empty program', 'POST', SESSIONS, { command: [''] }, 400, 'request.invalid'],
  ['NUL in an argument', 'POST', SESSIONS, { command: ['echo', 'a\0b'] }, 400, 'request.invalid'],
  ['an unknown key', 'POST', SESSIONS, { ...shell, colums: 80 }, 400, 'request.invalid'],
  ['an id that leaves its directory', 'POST', SESSIONS, { ...shell, sessionId: '../../etc' }, 400, 'request.invalid'],
  ['an id of capitals', 'POST', SESSIONS, { ...shell, sessionId: 'ABC' }, 400, 'request.invalid'],
  ['an id of 41 characters', 'POST', SESSIONS, { ...shell, sessionId: 'a'.repeat(41) }, 400, 'request.invalid'],
  ['zero columns', 'POST', SESSIONS, { ...shell, cols: 0 }, 400, 'request.invalid'],
  ['more rows than a terminal has', 'POST', SESSIONS, { ...shell, rows: 100_000 }, 400, 'request.invalid'],
  ['columns that are text', 'POST', SESSIONS, { ...shell, cols: '80' }, 400, 'request.invalid'],
  ['a relative cwd', 'POST', SESSIONS, { ...shell, cwd: 'tmp' }, 400, 'request.invalid'],
  ['a variable name with =', 'POST', SESSIONS, { ...shell, env: { 'A=B': 'c' } }, 400, 'request.invalid'],
  ['an unknown backend', 'POST', SESSIONS, { ...shell, backend: 'screen' }, 400, 'request.invalid'],
  ['an owner of no kind', 'POST', SESSIONS, { ...shell, owner: 'me' }, 400, 'request.invalid'],
  ['a missing program', 'POST', SESSIONS, { command: ['no-such-program-anywhere'] }, 422, 'session.command-not-found'],
  ['a program that is no program', 'POST', SESSIONS, { command: ['/etc/passwd'] }, 422, 'session.command-not-executable'],
  ['a missing cwd', 'POST', SESSIONS, { ...shell, cwd: '/no/such/directory' }, 422, 'session.cwd-not-found'],
  ['a cwd that is a file', 'POST', SESSIONS, { ...shell, cwd: '/etc/passwd' }, 422, 'session.cwd-not-found'],
  ['an unknown session', 'GET', `${SESSIONS}/nobody`, undefined, 404, 'session.not-found'],
  ['output of an unknown session', 'GET', `${SESSIONS}/nobody/output`, undefined, 404, 'session.not-found'],
  ['input to an unknown session', 'POST', `${SESSIONS}/nobody/input`, { text: 'x' }, 404, 'session.not-found'],
  ['a kill of an unknown session', 'DELETE', `${SESSIONS}/nobody`, undefined, 404, 'session.not-found'],
  ['an unknown route', 'GET', '/v1/nothing', undefined, 404, 'route.not-found'],
  ['input of two kinds', 'POST', `${SESSIONS}/good/input`, { text: 'x', keys: ['Enter'] }, 400, 'request.invalid'],
  ['an unknown key name', 'POST', `${SESSIONS}/good/input`, { keys: ['Ctrl-Alt-Del'] }, 400, 'request.invalid'],
  ['a size of nothing', 'POST', `${SESSIONS}/good/resize`, { cols: 0, rows: 0 }, 400, 'request.invalid'],
  ['a negative offset', 'GET', `${SESSIONS}/good/output?from=-1`, undefined, 400, 'request.invalid'],
  ['an offset beyond the end', 'GET', `${SESSIONS}/good/output?from=99999999`, undefined, 416, 'session.output-beyond-end'],
  ['the same id with another spec', 'POST', SESSIONS, { command: ['true'], sessionId: 'good' }, 409, 'session.conflict'],
];

describe('bad input', () => {
  let rig: Rig;
  let before: readonly string[];
  const sessionDirectories = () => readdirSync(`${rig.stateDir}/sessions`).sort();
  beforeAll(async () => {
    rig = await startRig();
    await rig.createSession({ sessionId: 'good', ...shell });
    before = sessionDirectories();
  }, 60_000);
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
  });

  it.each(CASES)('answers %s with its problem', async (_what, method, path, body, status, code) => {
    const response = await rig.request(method, path, body);
    const problem = problemSchema.safeParse(await response.json());
    expect({ status: response.status, type: response.headers.get('content-type')?.split(';')[0], code: problem.data?.code }).toEqual({
      status,
      type: 'application/problem+json',
      code,
    });
  });

  it.each<[string, Record<string, string | undefined>, number, string]>([
    ['no token', { authorization: undefined }, 401, 'auth.required'],
    ['a wrong token', { authorization: 'Bearer wrong' }, 401, 'auth.invalid'],
    ['another origin', { origin: 'http://evil.example' }, 403, 'origin.refused'],
  ])('refuses a create with %s', async (_what, headers, status, code) => {
    const response = await rig.request('POST', SESSIONS, shell, headers);
    expect({ status: response.status, code: problemSchema.parse(await response.json()).code }).toEqual({ status, code });
  });

  it('repeats a create that is the same, and refuses a handle of another epoch', async () => {
    const again = await rig.request('POST', SESSIONS, { sessionId: 'good', ...shell });
    expect([again.status, ((await again.json()) as { sessionId: string }).sessionId]).toEqual([expect.any(Number), 'good']);
    const stale = await rig.request('GET', `${SESSIONS}/good`, undefined, { 'holdfast-epoch': '2' });
    expect({ status: stale.status, code: problemSchema.parse(await stale.json()).code }).toEqual({
      status: 410,
      code: 'session.stale-handle',
    });
  });

  it('left nothing behind', () => {
    expect(sessionDirectories()).toEqual(before);
    expect(before.every((name) => ID_PATTERN.test(name))).toBe(true);
  });
});
