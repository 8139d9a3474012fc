/** What other services put into the inbox: taken once, rejected with a reason, or kept until its task comes. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { watchForLeaks, waitFor } from '@holdfast/testing';
import { ServiceRig, shell } from './service-rig.js';

const leaks = watchForLeaks();
let rig: ServiceRig;

beforeAll(async () => {
  rig = await ServiceRig.start();
  await rig.startService();
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await leaks.expectNone();
});

const event = (verb: string, id: string, data: unknown, source = '/ci') => ({
  specversion: '1.0',
  id,
  source,
  type: `holdfast.task.${verb}`,
  data,
});
const rejections = () => rig.published.filter(({ subject }) => subject.endsWith('.event.inbox.rejected'));
const rejectionOf = (id: string | null) =>
  waitFor(() => rejections().find(({ data }) => data['eventId'] === id), { what: `rejection of ${String(id)}`, withinMs: 20_000 });

describe('inbox.task.requested', () => {
  it('makes one task of an event that comes three times, and another of the same id from another source', async () => {
    for (let time = 0; time < 3; time += 1) await rig.putInbox('requested', event('requested', 'r1', shell('from ci')));
    await rig.putInbox('requested', event('requested', 'r1', shell('from ci'), '/cd'));
    await rig.putInbox('requested', event('requested', 'r2', shell('last', 'last')));
    await rig.sees('last', 'open');
    const { items } = await rig.ask('list', {});
    expect(items.filter(({ title }) => title === 'from ci').map(({ owner }) => owner)).toEqual(['service:/cd', 'service:/ci']);
  });
});

describe('an event that cannot be taken', () => {
  it.each([
    ['no JSON', 'requested', 'not json', null, 'is no JSON'],
    ['no CloudEvent', 'requested', { id: 'b1', hello: 1 }, 'b1', 'is no CloudEvent 1.0'],
    ['an unknown type', 'requested', event('exploded', 'b2', {}), 'b2', 'unknown type'],
    ['a type of another subject', 'requested', event('cancelled', 'b3', { taskId: 'x' }), 'b3', 'does not belong on subject'],
    ['bad data', 'requested', event('requested', 'b4', { title: '' }), 'b4', 'title'],
  ])('is rejected with a reason: %s', async (_, verb, sent, id, reason) => {
    await rig.putInbox(verb, sent);
    const rejected = await rejectionOf(id);
    expect([rejected.type, rejected.data['reason']]).toEqual(['holdfast.inbox.rejected', expect.stringContaining(reason)]);
  });

  it('is rejected once, however often it comes', async () => {
    for (let time = 0; time < 3; time += 1) await rig.putInbox('requested', event('requested', 'b5', { title: 'no agent' }));
    await rig.putInbox('requested', event('requested', 'b6', { title: 'no agent either' }));
    await rejectionOf('b6');
    expect(rejections().filter(({ data }) => data['eventId'] === 'b5')).toHaveLength(1);
  });

  it('is rejected when the table does not allow it', async () => {
    await rig.ask('create', { task: shell('finished', 'finished'), by: 'operator:ada' });
    await rig.ask('complete', { taskId: 'finished', by: 'operator:ada' });
    await rig.putInbox('cancelled', event('cancelled', 'b7', { taskId: 'finished' }));
    expect((await rejectionOf('b7')).data['reason']).toContain('task.illegal-transition');
  });
});

describe('an event about a task', () => {
  it('waits for a task that comes later', async () => {
    await rig.putInbox('cancelled', event('cancelled', 'c1', { taskId: 'late', reason: 'not needed' }));
    await rig.putInbox('requested', event('requested', 'c2', shell('late', 'late')));
    const task = await rig.sees('late', 'cancelled');
    expect(task.reason).toEqual({ text: 'not needed' });
  });

  it('tells progress, and ends it', async () => {
    await rig.putInbox('requested', event('requested', 'd1', shell('elsewhere', 'elsewhere')));
    await rig.putInbox('progress', event('progress', 'd2', { taskId: 'elsewhere', text: 'half way' }));
    await rig.putInbox('completed', event('completed', 'd3', { taskId: 'elsewhere' }));
    await rig.sees('elsewhere', 'completed');
    const { items } = await rig.ask('events', { taskId: 'elsewhere' });
    expect(items.map(({ verb, reason }) => [verb, reason?.text])).toEqual([
      ['created', undefined],
      ['progress', 'half way'],
      ['completed', undefined],
    ]);
  });
});
