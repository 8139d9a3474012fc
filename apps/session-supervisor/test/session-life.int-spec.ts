/** Sessions from create to exit, with a real holder: exact bytes, exit codes, refusals, one session per id. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor, watchForLeaks, type LeakWatch } from '@holdfast/testing';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SupervisorRig } from './supervisor-rig.js';

describe('the life of a session', () => {
  let leaks: LeakWatch;
  let rig: SupervisorRig;
  beforeAll(async () => {
    leaks = watchForLeaks();
    rig = await SupervisorRig.start({ environment: { HOLDFAST_SESSIONS_PER_HOLDER: '2' } });
  });
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
    await leaks.expectNone();
  });

  it('delivers every byte of a short command and its exit code after them, live and from the journal', async () => {
    const { session } = await rig.link.create({ sessionId: 'short', command: ['sh', '-c', 'seq 20000; exit 7'] });
    const feed = await rig.link.follow('short', 0);
    await waitFor(() => feed.events.find((event) => event.event === 'exit'), { what: 'exit event' });
    const expected = Array.from({ length: 20000 }, (_, index) => `${index + 1}\r\n`).join('');
    expect(feed.bytes.toString()).toBe(expected);
    expect(feed.isContinuous).toBe(true);
    expect(feed.events).toEqual([{ event: 'exit', feed: feed.feed, offset: expected.length, exit: { code: 7 }, after: expected.length }]);
    expect((await rig.link.readAll('short')).toString()).toBe(expected);
    expect(await rig.link.get('short')).toMatchObject({
      sessionId: 'short',
      epoch: 1,
      state: 'exited',
      exit: { code: 7 },
      pid: null,
      offset: expected.length,
      earliestOffset: 0,
      leftovers: [],
      startedAt: session.startedAt,
    });
  });

  it('never tells an end before the start, however short the command', async () => {
    for (const sessionId of ['blink-1', 'blink-2', 'blink-3']) {
      await rig.link.create({ sessionId, command: ['true'] });
      await waitFor(async () => (await rig.link.get(sessionId)).state === 'exited', { what: 'exited' });
      const { createdAt, startedAt, endedAt } = await rig.link.get(sessionId);
      expect([createdAt, startedAt, endedAt]).toEqual([createdAt, startedAt, endedAt].sort());
    }
  });

  it('serves an ended session to a late follower from the journal alone', async () => {
    const feed = await rig.link.follow('short', 100);
    await waitFor(() => feed.events.length > 0, { what: 'exit event' });
    expect(feed.start + feed.bytes.length).toBe((await rig.link.get('short')).offset);
    expect(feed.isContinuous).toBe(true);
  });

  it('echoes what is typed, by REST and by viewers, each sequence number once', async () => {
    await rig.link.create({
      sessionId: 'typed',
      command: ['sh', '-c', 'stty -echo; echo ready; while read line; do echo "<$line>"; done'],
    });
    const feed = await rig.link.follow('typed', 0);
    await waitFor(() => feed.bytes.includes('ready'), { what: 'ready' });
    expect(await rig.link.type('typed', 'one\n')).toBe(4);
    const { head } = await rig.link.ask('attach', { sessionId: 'typed', viewerId: 'v1', mode: 'write' });
    expect(head).toMatchObject({ lastSeq: 0, epoch: 1, state: 'running' });
    const viewer = head['viewer'] as number;
    const answers = await Promise.all([
      rig.link.writeAs(viewer, 1, 'two\n'),
      rig.link.writeAs(viewer, 2, 'three\n'),
      rig.link.writeAs(viewer, 2, 'three\n'),
    ]);
    expect(answers.map((answer) => [answer.head['accepted'], answer.head['duplicate'] === true])).toEqual([
      [4, false],
      [6, false],
      [0, true],
    ]);
    await expect(rig.link.writeAs(viewer, 9, 'x')).rejects.toMatchObject({ code: 'session.input-gap' });
    await waitFor(() => feed.bytes.includes('<three>'), { what: 'echo' });
    expect(feed.bytes.toString()).toBe('ready\r\n<one>\r\n<two>\r\n<three>\r\n');
    const reader = (await rig.link.ask('attach', { sessionId: 'typed', viewerId: 'v2', mode: 'read' })).head['viewer'] as number;
    await expect(rig.link.writeAs(reader, 1, 'x')).rejects.toMatchObject({ code: 'viewer.read-only' });
    await expect(rig.link.ask('resize', { sessionId: 'typed', viewer: reader, cols: 80, rows: 24 })).rejects.toMatchObject({
      code: 'viewer.read-only',
    });
    await expect(rig.link.ask('attach', { sessionId: 'typed', epoch: 2, viewerId: 'v3', mode: 'read' })).rejects.toMatchObject({
      code: 'session.stale-handle',
    });
  });

  it('tells resizes between the bytes they came between', async () => {
    await rig.link.create({
      sessionId: 'sized',
      cols: 80,
      rows: 24,
      command: ['sh', '-c', 'trap "stty size" WINCH; echo ready; while :; do read x; done'],
    });
    const feed = await rig.link.follow('sized', 0);
    await waitFor(() => feed.bytes.includes('ready'), { what: 'ready' });
    const { head } = await rig.link.ask('resize', { sessionId: 'sized', cols: 100, rows: 30 });
    await waitFor(() => feed.bytes.includes('30 100'), { what: 'new size' });
    expect(head['offset']).toBe('ready\r\n'.length);
    expect(feed.events).toEqual([{ event: 'resized', feed: feed.feed, offset: 7, cols: 100, rows: 30, after: 7 }]);
    const { head: read } = await rig.link.ask('read', { sessionId: 'sized', from: 0, limit: 100 });
    expect(read).toMatchObject({ offset: 0, cols: 80, rows: 24, resizes: [{ offset: 7, cols: 100, rows: 30 }] });
    expect(await rig.link.get('sized')).toMatchObject({ cols: 100, rows: 30 });
  });

  it('answers reads it cannot serve by type', async () => {
    const { offset } = await rig.link.get('short');
    await expect(rig.link.ask('read', { sessionId: 'short', from: offset + 1, limit: 10 })).rejects.toMatchObject({
      code: 'session.output-beyond-end',
      detail: { earliestOffset: 0, endOffset: offset },
    });
    await expect(rig.link.ask('read', { sessionId: 'short', epoch: 2, limit: 10 })).rejects.toMatchObject({ code: 'session.stale-handle' });
    await expect(rig.link.ask('read', { sessionId: 'nowhere', limit: 10 })).rejects.toMatchObject({ code: 'session.not-found' });
    await expect(rig.link.ask('nonsense')).rejects.toMatchObject({ code: 'protocol.unknown-verb' });
    await expect(rig.link.ask('get', { sessionId: '../evil' })).rejects.toMatchObject({ code: 'request.invalid' });
  });

  it.each([
    ['session.command-not-found', { command: ['no-such-program-here'] }],
    ['session.cwd-not-found', { command: ['true'], cwd: '/no/such/place' }],
    ['session.command-not-executable', { command: ['/etc/passwd'] }],
  ])('leaves nothing behind after %s', async (code, spec) => {
    await expect(rig.link.create({ sessionId: 'refused', ...spec })).rejects.toMatchObject({ code });
    expect(readdirSync(join(rig.stateDir, 'sessions'))).not.toContain('refused');
    await expect(rig.link.get('refused')).rejects.toMatchObject({ code: 'session.not-found' });
  });

  it('makes one session of two creates at once, returns it again, and refuses another spec', async () => {
    const spec = { sessionId: 'once', command: ['sleep', '300'], env: { A: '1', B: '2' } };
    const answers = await Promise.all([rig.link.create(spec), rig.link.create({ ...spec, env: { B: '2', A: '1' } })]);
    expect(answers.map((answer) => answer.created)).toEqual([true, false]);
    expect(new Set(answers.map((answer) => answer.session.pid)).size).toBe(1);
    await expect(rig.link.create({ ...spec, cols: 99 })).rejects.toMatchObject({ code: 'session.conflict' });
    expect(await rig.startedTreeOf('once')).toHaveLength(1);
    expect(statSync(join(rig.stateDir, 'sessions', 'once')).mode & 0o777).toBe(0o700);
  });

  it('kills, reports, repeats the report, purges, and never gives the id again', async () => {
    const report = await rig.link.kill('once');
    expect(report).toEqual({
      sessionId: 'once',
      epoch: 1,
      signalled: [{ pid: expect.any(Number), command: 'sleep', signals: ['SIGTERM'] }],
      survivors: [],
      exit: { signal: 'SIGTERM' },
    });
    expect(await rig.link.kill('once')).toEqual(report);
    expect(await rig.link.get('once')).toMatchObject({ state: 'exited', exit: { signal: 'SIGTERM' } });
    expect(await rig.link.kill('once', { purge: true })).toEqual(report);
    expect(existsSync(join(rig.stateDir, 'sessions', 'once'))).toBe(false);
    expect(await rig.link.kill('once', { purge: true })).toEqual(report);
    await expect(rig.link.create({ sessionId: 'once', command: ['true'] })).rejects.toMatchObject({ code: 'session.id-used' });
    await expect(rig.link.get('once')).rejects.toMatchObject({ code: 'session.not-found' });
  });

  it('refuses input and resizes once a session has ended', async () => {
    await expect(rig.link.type('short', 'x')).rejects.toMatchObject({ code: 'session.ended' });
    await expect(rig.link.ask('resize', { sessionId: 'short', cols: 80, rows: 24 })).rejects.toMatchObject({ code: 'session.ended' });
  });

  it('gives a dedicated session a holder of its own', async () => {
    await rig.link.create({ sessionId: 'apart', command: ['sleep', '300'], isolation: 'dedicated' });
    await rig.link.create({ sessionId: 'beside', command: ['sleep', '300'] });
    const apart = rig.manifest('apart').holder.id;
    const others = (await rig.link.list())
      .filter((session) => session.sessionId !== 'apart')
      .map((session) => rig.manifest(session.sessionId).holder.id);
    expect(others).not.toContain(apart);
  });
});
