/** A task's life through the real service, store and broker: created, launched, ended by its session or by hand. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { watchForLeaks, waitFor } from '@holdfast/testing';
import { ServiceError } from '@holdfast/kernel';
import { startFakeSupervisor, type FakeSupervisor } from './fake-supervisor.js';
import { ServiceRig, shell } from './service-rig.js';

const leaks = watchForLeaks();
const by = 'operator:ada';
let rig: ServiceRig;
let supervisor: FakeSupervisor;

beforeAll(async () => {
  rig = await ServiceRig.start();
  supervisor = await startFakeSupervisor({ url: rig.nats.url });
  await rig.startService();
});
afterAll(async () => {
  await supervisor[Symbol.asyncDispose]();
  await rig[Symbol.asyncDispose]();
  await leaks.expectNone();
});

const launched = async (title: string, env?: Record<string, string>) => {
  const { task } = await rig.ask('create', { task: { ...shell(title), launch: true, ...(env ? { env } : {}) }, by });
  const running = await rig.sees(task.taskId, 'in_progress');
  return { taskId: task.taskId, sessionId: running.sessions[0]?.sessionId ?? '' };
};

describe('a launched task', () => {
  it('is in progress with one running session, and completed when that exits with 0', async () => {
    const { taskId, sessionId } = await launched('works');
    await supervisor.exit(sessionId, { code: 0 });
    const task = await rig.sees(taskId, 'completed');
    expect(task).toMatchObject({
      owner: by,
      reason: { exit: { code: 0 } },
      needsAttention: false,
      sessions: [{ sessionId, epoch: 1, hostId: 'host-1', lastStatus: 'completed', exit: { code: 0 } }],
    });
    await waitFor(() => rig.eventsOf(taskId).length === 4, { what: 'four facts' });
    expect(rig.eventsOf(taskId).map(({ type, data }) => [type, data['sequence'], data['status']])).toEqual([
      ['holdfast.task.created', 1, 'open'],
      ['holdfast.task.launched', 2, 'pending'],
      ['holdfast.task.started', 3, 'in_progress'],
      ['holdfast.task.completed', 4, 'completed'],
    ]);
    const { items } = await rig.ask('events', { taskId });
    expect(items.map(({ eventId }) => eventId)).toEqual(rig.eventsOf(taskId).map(({ id }) => id));
  });

  it('is terminated with the exit as its reason when that exits otherwise, told once or three times', async () => {
    const { taskId, sessionId } = await launched('fails');
    await supervisor.exit(sessionId, { code: 3 }, { times: 3 });
    const task = await rig.sees(taskId, 'terminated');
    expect([task.reason, task.sessions[0]?.lastStatus, task.sequence]).toEqual([{ exit: { code: 3 } }, 'aborted', 4]);
  });

  it('stays in progress and needs attention when its session is lost', async () => {
    const { taskId, sessionId } = await launched('is lost');
    await supervisor.lose(sessionId);
    const task = await waitFor(async () => ((await rig.get(taskId)).needsAttention ? rig.get(taskId) : undefined), { what: 'attention' });
    expect([task.status, task.sessions[0]?.lastStatus]).toEqual(['in_progress', 'lost']);
  });

  it('never shows the environment that its session gets', async () => {
    const { taskId, sessionId } = await launched('has a secret', { SECRET: 'hunter2' });
    const sent = supervisor.launches.find(({ spec }) => spec.sessionId === sessionId);
    expect(sent?.spec).toMatchObject({ owner: `task:${taskId}`, taskId, command: ['sh', '-c', 'true'], env: { SECRET: 'hunter2' } });
    await waitFor(() => rig.eventsOf(taskId).length === 3, { what: 'three facts' });
    expect(JSON.stringify([await rig.get(taskId), rig.eventsOf(taskId)])).not.toContain('hunter2');
  });

  it.each(['complete', 'terminate', 'cancel'] as const)('has its session killed by %s', async (verb) => {
    const { taskId, sessionId } = await launched(`to ${verb}`);
    await rig.ask(verb, { taskId, by, reason: 'enough' });
    const task = await waitFor(
      async () => {
        const now = await rig.get(taskId);
        return now.sessions[0]?.lastStatus === 'aborted' ? now : undefined;
      },
      { what: 'the record is aborted' },
    );
    expect([supervisor.kills.includes(sessionId), task.reason, task.sessions[0]?.exit]).toEqual([
      true,
      { text: 'enough' },
      { signal: 'SIGTERM' },
    ]);
  });

  it('is open again and says why when its session cannot be started', async () => {
    supervisor.refuseLaunches(new ServiceError('session.command-not-found', 'no program "nope"'));
    const { task } = await rig.ask('create', { task: { ...shell('cannot'), launch: true }, by });
    supervisor.refuseLaunches(undefined);
    const open = await rig.sees(task.taskId, 'open');
    expect([open.needsAttention, open.reason, open.sessions[0]?.lastStatus]).toEqual([
      true,
      { text: 'session.command-not-found: no program "nope"' },
      'aborted',
    ]);
    expect((await rig.ask('launch', { taskId: task.taskId, by })).task).toMatchObject({ status: 'in_progress', needsAttention: false });
  });

  it('keeps its session id over attempts that fail for a while', async () => {
    supervisor.refuseLaunches(new ServiceError('holder.full', 'no room'));
    const { task } = await rig.ask('create', { task: { ...shell('patient'), launch: true }, by });
    await waitFor(() => supervisor.launches.filter(({ spec }) => spec.taskId === task.taskId).length > 1, { what: 'a second attempt' });
    supervisor.refuseLaunches(undefined);
    await rig.sees(task.taskId, 'in_progress');
    const mine = supervisor.launches.filter(({ spec }) => spec.taskId === task.taskId);
    expect([new Set(mine.map(({ spec }) => spec.sessionId)).size, mine.map(({ attempt }) => attempt)]).toEqual([
      1,
      mine.map((_, at) => at + 1),
    ]);
  });
});

describe('create', () => {
  it('gives the same task for the same id and body, and a conflict for another body', async () => {
    const first = await rig.ask('create', { task: shell('one', 'twin'), by });
    const again = await rig.ask('create', { task: shell('one', 'twin'), by });
    expect([first.created, again.created, again.task.taskId]).toEqual([true, false, 'twin']);
    await expect(rig.ask('create', { task: shell('two', 'twin'), by })).rejects.toMatchObject({ code: 'task.conflict' });
  });

  it('gives the same task for the same key of the same person', async () => {
    const first = await rig.ask('create', { task: shell('keyed'), by, idempotencyKey: 'k' });
    const again = await rig.ask('create', { task: shell('keyed'), by, idempotencyKey: 'k' });
    const other = await rig.ask('create', { task: shell('keyed'), by: 'operator:bob', idempotencyKey: 'k' });
    expect([again.task.taskId, again.created, other.created]).toEqual([first.task.taskId, false, true]);
    await expect(rig.ask('create', { task: shell('else'), by, idempotencyKey: 'k' })).rejects.toMatchObject({ code: 'task.conflict' });
  });
});

describe('transitions', () => {
  it('refuses what the table does not have, naming what is allowed', async () => {
    const { task } = await rig.ask('create', { task: shell('done elsewhere'), by });
    await rig.ask('complete', { taskId: task.taskId, by });
    await expect(rig.ask('cancel', { taskId: task.taskId, by })).rejects.toMatchObject({
      code: 'task.illegal-transition',
      detail: { status: 'completed', allowed: ['reopen'] },
    });
    const reopened = await rig.ask('reopen', { taskId: task.taskId, by });
    expect([reopened.task.status, reopened.task.endedAt]).toEqual(['open', undefined]);
  });

  it('knows no task that was never created', async () => {
    await expect(rig.ask('launch', { taskId: 'nobody', by })).rejects.toMatchObject({ code: 'task.not-found' });
  });
});

describe('lists', () => {
  it('give every task once, newest first, also when some are created between two pages', async () => {
    const made: string[] = [];
    for (const name of ['a', 'b', 'c'])
      made.push((await rig.ask('create', { task: { ...shell(name), owner: 'service:list' }, by })).task.taskId);
    const first = await rig.ask('list', { owner: 'service:list', limit: 2 });
    await rig.ask('create', { task: { ...shell('d'), owner: 'service:list' }, by });
    const second = await rig.ask('list', { owner: 'service:list', limit: 2, ...(first.nextCursor ? { cursor: first.nextCursor } : {}) });
    expect([[...first.items, ...second.items].map(({ taskId }) => taskId), second.nextCursor]).toEqual([made.reverse(), undefined]);
  });
});

describe('answers', () => {
  it('tell the reaper what the store knows, and what it does not', async () => {
    const { taskId, sessionId } = await launched('asked about');
    await rig.ask('cancel', { taskId, by });
    await waitFor(async () => (await rig.get(taskId)).sessions[0]?.lastStatus === 'aborted', { what: 'the record ended' });
    const answer = await rig.ask('answers', { taskIds: [taskId, 'restored'], sessionIds: [sessionId, 'stray'] });
    expect(answer).toEqual({
      tasks: [
        { taskId, known: true, status: 'cancelled', endedForMs: expect.any(Number) },
        { taskId: 'restored', known: false, endedForMs: null },
      ],
      records: [{ sessionId, taskId, lastStatus: 'aborted', endedForMs: expect.any(Number) }],
    });
  });
});
