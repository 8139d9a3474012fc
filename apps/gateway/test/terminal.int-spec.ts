/** `/terminal` of the real gateway: exact output, input in order, windows, and breaks of the link in mid-stream. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { VIEWER_WINDOW_BYTES } from '@holdfast/contracts';
import { waitFor, watchForLeaks } from '@holdfast/testing';
import { randomBytes } from 'node:crypto';
import { startRig, type GatewayRig, type TerminalClient, type Viewed } from './gateway-rig.js';
import type { MemorySession } from './memory-session.js';

const MIB = 1024 * 1024;
const leaks = watchForLeaks();
let rig: GatewayRig;
let client: TerminalClient;
beforeAll(async () => {
  rig = await startRig();
  client = await rig.client();
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await leaks.expectNone();
});

let made = 0;
function session(size?: { cols: number; rows: number }): MemorySession {
  made += 1;
  return rig.supervisor.add(`terminal-${made}`, size);
}

async function sees(viewed: Viewed, of: MemorySession): Promise<void> {
  await waitFor(() => viewed.offset() === of.endOffset, { what: `the viewer is at ${of.endOffset}` });
}

const told = (viewed: Viewed, name: string): Promise<unknown> =>
  waitFor(() => viewed.told.find((fact) => fact[0] === name)?.[1], { what: `the viewer is told ${name}` });

describe('attach', () => {
  it('starts at the earliest offset with the size of that offset, and tells resizes and the exit in their place', async () => {
    const one = session({ cols: 80, rows: 24 });
    one.write('before');
    one.resize(100, 30);
    one.write('after');
    const viewed = await client.attach({ sessionId: one.sessionId });
    await sees(viewed, one);
    one.resize(90, 20);
    one.write('last words');
    one.end({ code: 3 });
    await told(viewed, 'exit');
    one.write('left over');
    await sees(viewed, one);
    expect([viewed.attached, viewed.told]).toEqual([
      expect.objectContaining({ epoch: 1, offset: 0, cols: 80, rows: 24, lastSeq: 0, how: 'exact', state: 'running', mode: 'write' }),
      [
        ['output', 'before'],
        ['resized', { offset: 6, cols: 100, rows: 30 }],
        ['output', 'after'],
        ['resized', { offset: 11, cols: 90, rows: 20 }],
        ['output', 'last words'],
        ['exit', { exit: { code: 3 } }],
        ['output', 'left over'],
      ],
    ]);
  });

  it('to a session that has ended gives all its output and then the exit', async () => {
    const one = session();
    one.write('all there was');
    one.end({ signal: 'SIGKILL' });
    const viewed = await client.attach({ sessionId: one.sessionId });
    await told(viewed, 'exit');
    expect([viewed.attached.state, viewed.told]).toEqual([
      'exited',
      [
        ['output', 'all there was'],
        ['exit', { exit: { signal: 'SIGKILL' } }],
      ],
    ]);
  });

  it('goes on at an offset, and at the earliest one where that cannot be served', async () => {
    const one = session();
    one.write('x'.repeat(1_000));
    one.earliestOffset = 400;
    const offsets = await Promise.all(
      [400, 700, 1_000, 10, 1_001].map(async (from) => (await client.attach({ sessionId: one.sessionId, epoch: 1, from })).attached.offset),
    );
    expect(offsets).toEqual([400, 700, 1_000, 400, 400]);
  });

  it.each([
    ['from without an epoch', { from: 0 }, 'stream.epoch-required'],
    ['a negative from', { epoch: 1, from: -1 }, 'stream.bad-offset'],
    ['a fraction', { epoch: 1, from: 0.5 }, 'stream.bad-offset'],
    ['more than 2^53', { epoch: 1, from: 2 ** 60 }, 'stream.bad-offset'],
    ['NaN (null on the wire)', { epoch: 1, from: NaN }, 'stream.bad-offset'],
    ['a text', { epoch: 1, from: 'start' }, 'stream.bad-offset'],
    ['another epoch', { epoch: 7 }, 'session.stale-handle'],
    ['a forged viewer id', { viewerId: 'AAAA.BBBB' }, 'viewer.unknown'],
    ['an unknown mode', { mode: 'rw' }, 'request.invalid'],
    ['another session', { sessionId: 'nobody' }, 'session.not-found'],
    ['an id that is none', { sessionId: '../evil' }, 'request.invalid'],
  ])('is refused by type for %s', async (_what, request, code) => {
    expect(await client.ask('attach', { sessionId: session().sessionId, ...request })).toEqual({
      ok: false,
      code,
      retry: 'never',
      detail: expect.any(String),
    });
  });

  it('with the viewer id of an attached one replaces that one and knows its last sequence', async () => {
    const one = session();
    const first = await client.attach({ sessionId: one.sessionId });
    await client.ask('input', first.attached.attachId, 1, Buffer.from('a'));
    const other = await rig.client();
    const second = await other.attach({ sessionId: one.sessionId, viewerId: first.attached.viewerId });
    const gone = await told(first, 'detached');
    expect([gone, second.attached.viewerId, second.attached.lastSeq]).toEqual([{ code: 'viewer.replaced' }, first.attached.viewerId, 1]);
  });
});

describe('what a socket sends', () => {
  it('crashes nothing when it has no callback or makes no sense', async () => {
    const { socket } = client;
    for (const event of ['attach', 'input', 'ack', 'resize', 'takeControl', 'visible', 'detach', 'nonsense']) {
      socket.emit(event);
      socket.emit(event, null, 'x', { a: Buffer.from('b') });
    }
    expect(await client.ask('visible', { attachId: 'none', visible: true })).toEqual({
      ok: false,
      code: 'stream.not-attached',
      retry: 'never',
      detail: expect.any(String),
    });
  });

  it('reaches the session in order, byte for byte, with viewer and sequence', async () => {
    const one = session();
    const { attachId, viewerId } = (await client.attach({ sessionId: one.sessionId })).attached;
    const inputs = Array.from({ length: 200 }, (_unused, index) => randomBytes(1 + (index % 50)));
    const acks = await Promise.all(inputs.map((bytes, index) => client.ask('input', attachId, index + 1, bytes)));
    expect([acks.every(({ ok }) => ok), one.input]).toEqual([true, inputs.map((bytes, index) => ({ viewerId, seq: index + 1, bytes }))]);
  });

  it('is refused where it may not write', async () => {
    const one = session();
    const { attachId } = (await client.attach({ sessionId: one.sessionId, mode: 'read' })).attached;
    const refusals = [
      await client.ask('input', attachId, 1, Buffer.from('x')),
      await client.ask('resize', { attachId, cols: 80, rows: 24 }),
      await client.ask('takeControl', { attachId }),
    ];
    expect([
      refusals.map((ack) => (ack.ok ? 'ok' : ack.code)),
      one.input,
      await client.ask('visible', { attachId, visible: false }),
    ]).toEqual([Array(3).fill('viewer.read-only'), [], { ok: true }]);
  });

  it('says honestly what is not there yet', async () => {
    const { attachId } = (await client.attach({ sessionId: session().sessionId })).attached;
    expect(await client.ask('takeControl', { attachId })).toMatchObject({ ok: false, code: 'feature.unavailable' });
  });

  it('resizes, and every viewer is told', async () => {
    const one = session();
    const viewed = await client.attach({ sessionId: one.sessionId });
    const ack = await client.ask('resize', { attachId: viewed.attached.attachId, cols: 77, rows: 11 });
    expect([ack, await told(viewed, 'resized')]).toEqual([{ ok: true }, { offset: 0, cols: 77, rows: 11 }]);
  });

  it('more than one write holds is refused, a whole 1 MiB is not', async () => {
    const one = session();
    const { attachId } = (await client.attach({ sessionId: one.sessionId })).attached;
    const acks = [await client.ask('input', attachId, 1, Buffer.alloc(MIB + 1)), await client.ask('input', attachId, 1, Buffer.alloc(MIB))];
    expect(acks.map((ack) => (ack.ok ? 'ok' : ack.code))).toEqual(['request.too-large', 'ok']);
  });

  it('after detach has no effect, and nothing comes any more', async () => {
    const one = session();
    const viewed = await client.attach({ sessionId: one.sessionId });
    const { attachId } = viewed.attached;
    const detached = await client.ask('detach', { attachId });
    one.write('unseen');
    expect([detached, await client.ask('input', attachId, 1, Buffer.from('x')), viewed.told]).toEqual([
      { ok: true },
      expect.objectContaining({ code: 'stream.not-attached' }),
      [],
    ]);
  });
});

describe('a slow viewer', () => {
  it('gets its window and no more, slows nobody, and goes on exactly once it acknowledges', async () => {
    const one = session();
    const slow = await rig.client();
    slow.acknowledges = false;
    const stopped = await slow.attach({ sessionId: one.sessionId });
    const quick = await client.attach({ sessionId: one.sessionId });
    for (let written = 0; written < 12; written += 1) one.write(randomBytes(MIB));
    await sees(quick, one);
    await waitFor(() => stopped.offset() === VIEWER_WINDOW_BYTES, { what: 'the slow viewer has its window' });
    const stoppedAt = stopped.offset();
    slow.acknowledges = true;
    slow.socket.emit('ack', stopped.attached.attachId, stoppedAt);
    await sees(stopped, one);
    expect([quick.bytes().equals(one.output), stoppedAt, stopped.bytes().equals(one.output)]).toEqual([true, VIEWER_WINDOW_BYTES, true]);
  });
});

describe('when the link breaks', () => {
  it('viewers keep their attach id and get every byte once, what was written meanwhile included', async () => {
    const one = session();
    const viewed = await client.attach({ sessionId: one.sessionId });
    for (let round = 0; round < 4; round += 1) {
      one.write(randomBytes(3 * MIB));
      await waitFor(() => viewed.offset() > one.endOffset - 2 * MIB, { what: 'the viewer is in mid-stream' });
      await rig.supervisor.stop();
      one.write(randomBytes(MIB));
      one.resize(80 + round, 24);
      await rig.supervisor.start();
    }
    one.end({ code: 0 });
    await told(viewed, 'exit');
    const sizes = viewed.told.flatMap(([name, facts]) => (name === 'resized' ? [(facts as { cols: number }).cols] : []));
    expect([viewed.offset(), viewed.bytes().equals(one.output), sizes, viewed.told.some(([name]) => name === 'detached')]).toEqual([
      one.endOffset,
      true,
      [80, 81, 82, 83],
      false,
    ]);
  });

  it('input fails with a safe retry, and the same input succeeds after its return', async () => {
    const one = session();
    const { attachId, viewerId } = (await client.attach({ sessionId: one.sessionId })).attached;
    await client.ask('input', attachId, 1, Buffer.from('a'));
    await rig.supervisor.stop();
    const refused = await client.ask('input', attachId, 2, Buffer.from('b'));
    await rig.supervisor.start();
    await waitFor(async () => (await client.ask('input', attachId, 2, Buffer.from('b'))).ok, { what: 'input is taken again' });
    expect([refused, one.input.map(({ seq, viewerId: by, bytes }) => [seq, by === viewerId, bytes.toString()])]).toEqual([
      { ok: false, code: 'host.unreachable', retry: 'safe', detail: expect.any(String) },
      [
        [1, true, 'a'],
        [2, true, 'b'],
      ],
    ]);
  });

  it('and the epoch is gone after its return, the viewer is told so', async () => {
    const one = session();
    const viewed = await client.attach({ sessionId: one.sessionId });
    await rig.supervisor.stop();
    one.epoch = 2;
    await rig.supervisor.start();
    expect(await told(viewed, 'detached')).toEqual({ code: 'session.stale-handle' });
  });

  it('and what the viewer needs was pruned meanwhile, it is told so', async () => {
    const one = session();
    const viewed = await client.attach({ sessionId: one.sessionId });
    await rig.supervisor.stop();
    one.write(randomBytes(1_000));
    one.earliestOffset = 500;
    await rig.supervisor.start();
    expect(await told(viewed, 'detached')).toEqual({ code: 'session.output-pruned' });
  });
});
