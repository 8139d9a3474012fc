/** Creating, keeping and killing sessions when backends fail in every way they can. */
import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@holdfast/kernel';
import { waitFor } from '@holdfast/testing';
import { existsSync } from 'node:fs';
import { FakeHandle } from '../backend/fake-backend.js';
import { SessionRig } from '../../test/session-rig.js';

const SPEC = { sessionId: 's1', command: ['true'] };
const EXIT = { sessionId: 's1', epoch: 1, exit: { code: 7 }, endedAt: '2026-01-01T00:00:01.000Z', offset: 0 };

async function aRunningSession(rig: SessionRig): Promise<FakeHandle> {
  const handle = new FakeHandle();
  rig.backend.handle = handle;
  await rig.create.run(SPEC);
  await waitFor(() => rig.registry.require('s1').handle, { what: 'attached' });
  return handle;
}

describe('creating', () => {
  it('leaves nothing behind when the spawn is refused by type, and gives its place back', async () => {
    await using rig = await SessionRig.open();
    rig.backend.spawnErrors = [new ServiceError('session.command-not-found', 'no such program')];
    await expect(rig.create.run(SPEC)).rejects.toMatchObject({ code: 'session.command-not-found' });
    expect([rig.registry.all(), existsSync(rig.layout.sessionDir('s1')), rig.backend.openPlaces]).toEqual([[], false, 0]);
  });

  it('leaves nothing behind when the disk refuses the manifest: the id may be used later', async () => {
    await using rig = await SessionRig.open();
    const writeAhead = rig.manifests.writeAhead.bind(rig.manifests);
    rig.manifests.writeAhead = (manifest) => {
      writeAhead(manifest);
      rig.manifests.writeAhead = writeAhead;
      throw new ServiceError('storage.failed', 'disk full');
    };
    await expect(rig.create.run(SPEC)).rejects.toMatchObject({ code: 'storage.failed' });
    expect([rig.registry.all(), existsSync(rig.layout.sessionDir('s1')), rig.backend.openPlaces]).toEqual([[], false, 0]);
    expect((await rig.create.run(SPEC)).created).toBe(true);
  });

  it('asks for another place when a holder is full', async () => {
    await using rig = await SessionRig.open();
    rig.backend.spawnErrors = [new ServiceError('holder.full', 'full')];
    expect((await rig.create.run(SPEC)).created).toBe(true);
    expect(rig.backend.spawned).toHaveLength(1);
  });

  it('finds out what became of a spawn that was not answered: there', async () => {
    await using rig = await SessionRig.open();
    rig.backend.alive = 'unknown';
    rig.backend.spawnErrors = [new ServiceError('deadline.exceeded', 'no answer')];
    await expect(rig.create.run(SPEC)).rejects.toMatchObject({ code: 'deadline.exceeded', retry: 'unknown' });
    const again = await rig.create.run(SPEC);
    expect([again.created, again.session.state]).toEqual([false, 'starting']);
    rig.backend.alive = 'alive';
    rig.backend.handle = new FakeHandle();
    await waitFor(() => again.session.state === 'running', { what: 'running' });
    expect(again.session.manifest.leader).toEqual({ pid: 42, startTime: 420 });
  });

  it('finds out what became of a spawn that was not answered: not there', async () => {
    await using rig = await SessionRig.open();
    rig.backend.alive = 'dead';
    rig.backend.spawnErrors = [new ServiceError('link.closed', 'gone')];
    await expect(rig.create.run(SPEC)).rejects.toMatchObject({ code: 'link.closed' });
    await waitFor(() => rig.registry.all().length === 0, { what: 'removed' });
    expect(existsSync(rig.layout.sessionDir('s1'))).toBe(false);
    expect((await rig.create.run(SPEC)).created).toBe(true);
  });

  it('refuses backends and hosts that are not here', async () => {
    await using rig = await SessionRig.open();
    await expect(rig.create.run({ ...SPEC, backend: 'tmux' })).rejects.toMatchObject({ code: 'backend.unavailable' });
    await expect(rig.create.run({ ...SPEC, hostId: 'other' })).rejects.toMatchObject({ code: 'request.invalid' });
  });
});

describe('keeping', () => {
  it('calls a silent holder unreachable, never lost, and has the session back', async () => {
    await using rig = await SessionRig.open();
    const handle = await aRunningSession(rig);
    const session = rig.registry.require('s1');
    rig.backend.handle = undefined;
    rig.backend.alive = 'unknown';
    handle.emitEvent({ type: 'closed' });
    await waitFor(() => session.handle === undefined, { what: 'detached' });
    expect(session.state).toBe('unreachable');
    expect(() => session.requireHandle()).toThrow(expect.objectContaining({ code: 'holder.unreachable', retry: 'safe' }));
    rig.backend.handle = new FakeHandle();
    await waitFor(() => session.state === 'running', { what: 'back' });
  });

  it('calls nobody unreachable while an exit is being recorded: the holder is done with the session', async () => {
    await using rig = await SessionRig.open();
    const handle = await aRunningSession(rig);
    const session = rig.registry.require('s1');
    rig.backend.handle = undefined;
    handle.emitExit(EXIT);
    handle.isResponsive = false;
    handle.emitEvent({ type: 'closed' });
    const meanwhile = session.state;
    await session.whenEnded;
    expect([meanwhile, session.state]).toEqual(['running', 'exited']);
  });

  it('records a loss once, durably, with its reason', async () => {
    await using rig = await SessionRig.open();
    const handle = await aRunningSession(rig);
    rig.backend.handle = undefined;
    rig.backend.alive = 'dead';
    handle.emitEvent({ type: 'closed' });
    await rig.registry.require('s1').whenEnded;
    await waitFor(() => rig.backend.killed.length > 0, { what: 'survivors looked for' });
    rig.restart();
    expect(rig.registry.require('s1').view('host')).toMatchObject({ state: 'lost', exit: { lost: 'holder died' }, pid: null });
  });

  it('prefers the exit that a dead holder recorded', async () => {
    await using rig = await SessionRig.open();
    const handle = await aRunningSession(rig);
    rig.exitRecord = EXIT;
    rig.backend.handle = undefined;
    rig.backend.alive = 'dead';
    handle.emitEvent({ type: 'closed' });
    await rig.registry.require('s1').whenEnded;
    expect(rig.registry.require('s1').view('host')).toMatchObject({
      state: 'exited',
      exit: { code: 7 },
      endedAt: EXIT.endedAt,
      leftovers: [],
    });
  });

  it('says when a living holder knows nothing of a session', async () => {
    await using rig = await SessionRig.open();
    rig.isHolderDead = false;
    const handle = await aRunningSession(rig);
    rig.backend.handle = undefined;
    rig.backend.alive = 'dead';
    handle.emitEvent({ type: 'closed' });
    await rig.registry.require('s1').whenEnded;
    expect(rig.registry.require('s1').manifest.end?.exit).toEqual({ lost: 'unknown to its holder' });
  });
});

describe('killing', () => {
  it('gives its report although the disk refuses to keep it', async () => {
    await using rig = await SessionRig.open();
    const handle = await aRunningSession(rig);
    rig.backend.onKill = () => handle.emitExit({ ...EXIT, exit: { code: 7 } });
    rig.manifests.save = () => Promise.reject(new ServiceError('storage.failed', 'disk full'));
    expect(await rig.kill.run({ sessionId: 's1' })).toMatchObject({ sessionId: 's1', survivors: [], exit: { code: 7 } });
  });

  it('reports survivors, and tries again when asked again', async () => {
    await using rig = await SessionRig.open();
    const handle = await aRunningSession(rig);
    rig.backend.onKill = () => handle.emitExit({ ...EXIT, exit: { signal: 'SIGKILL' } });
    rig.backend.killReport = { signalled: [], survivors: [{ pid: 9, command: 'stuck' }] };
    expect(await rig.kill.run({ sessionId: 's1' })).toMatchObject({ survivors: [{ pid: 9 }], exit: { signal: 'SIGKILL' } });
    rig.backend.killReport = { signalled: [], survivors: [] };
    expect(await rig.kill.run({ sessionId: 's1' })).toMatchObject({ survivors: [] });
    await rig.kill.run({ sessionId: 's1' });
    expect(rig.backend.killed).toHaveLength(2);
    rig.restart();
    expect(await rig.kill.run({ sessionId: 's1' })).toMatchObject({ survivors: [], exit: { signal: 'SIGKILL' } });
  });

  it('refuses another epoch and never touches the session', async () => {
    await using rig = await SessionRig.open();
    await aRunningSession(rig);
    await expect(rig.kill.run({ sessionId: 's1', epoch: 2 })).rejects.toMatchObject({ code: 'session.stale-handle' });
    expect(rig.backend.killed).toEqual([]);
  });
});
