/** What other services put into the inbox: requests that count once, however often they come, and bad ones that harm nobody. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Task } from '@holdfast/contracts';
import { waitFor } from '@holdfast/testing';
import { OutsideClient, startRig, type Rig } from '../src/index.js';

const REQUESTED = 'inbox.task.requested';
const CANCELLED = 'inbox.task.cancelled';

function agentThatExits(code: number) {
  return { kind: 'command', args: ['sh', '-c', `exit ${code}`] };
}

describe('the inbox', () => {
  let rig: Rig;
  let outside: OutsideClient;
  let made = 0;

  beforeAll(async () => {
    rig = await startRig();
    outside = await OutsideClient.connect(rig.upState());
  }, 60_000);
  afterAll(async () => {
    await outside[Symbol.asyncDispose]();
    await rig[Symbol.asyncDispose]();
  });

  /** The least that CloudEvents 1.0 asks for. */
  function event(verb: string, data: object, id = `event-${(made += 1)}`) {
    return { specversion: '1.0', id, source: '/ci/main', type: `holdfast.task.${verb}`, data };
  }

  /** The inbox is read in order: once this is there, all before it has been looked at. */
  async function lastInLine(): Promise<void> {
    const taskId = `last-${(made += 1)}`;
    await outside.publish(REQUESTED, event('requested', { taskId, title: 'last in line', agent: agentThatExits(0) }));
    await rig.taskIs(taskId, 'open');
  }

  async function tasksTitled(title: string): Promise<readonly Task[]> {
    const { items } = await rig.holdfast.listTasks();
    return items.filter((task) => task.title === title);
  }

  it.each([
    { times: 1, code: 0, status: 'completed' },
    { times: 2, code: 3, status: 'terminated' },
    { times: 3, code: 0, status: 'completed' },
  ] as const)('makes one task, run to its end, of a request that comes $times times', async ({ times, code, status }) => {
    const title = `asked for ${times} times`;
    const request = event('requested', { title, agent: agentThatExits(code), launch: true, labels: { from: 'ci' } });
    for (let time = 0; time < times; time += 1) await outside.publish(REQUESTED, request);
    await lastInLine();
    const tasks = await tasksTitled(title);
    expect(tasks).toEqual([expect.objectContaining({ owner: 'service:/ci/main', labels: { from: 'ci' } })]);
    const { taskId } = tasks[0] as Task;
    const ended = await rig.taskIs(taskId, status);
    expect(ended.sessions).toEqual([expect.objectContaining({ exit: { code } })]);
    const verbs = await waitFor(
      async () => {
        const facts = await outside.facts(`event.task.${taskId}.`);
        return facts.length === 4 ? facts.map(({ event: { data } }) => [data['sequence'], data['verb']]) : undefined;
      },
      { what: 'its four facts are stored' },
    );
    expect(verbs).toEqual([
      [1, 'created'],
      [2, 'launched'],
      [3, 'started'],
      [4, status],
    ]);
  });

  it('rejects what it cannot read, says why, and takes the next good one', async () => {
    const good = { title: 'never made', agent: agentThatExits(0) };
    const { id: forgotten, ...nameless } = event('requested', good);
    await outside.publish(REQUESTED, '{"specversion": "1.0", "id": ');
    await outside.publish(REQUESTED, { ...event('requested', good, 'unknown-type'), type: 'holdfast.task.exploded' });
    await outside.publish(REQUESTED, nameless);
    await outside.publish(REQUESTED, event('requested', { agent: good.agent }, 'no-title'));
    await outside.publish(REQUESTED, event('cancelled', { taskId: 'x' }, 'wrong-subject'));
    await outside.publish(REQUESTED, event('requested', { title: 'next good one', agent: agentThatExits(0) }));
    await waitFor(async () => (await tasksTitled('next good one')).length === 1, { what: 'the next good one is taken' });

    const rejections = await waitFor(
      async () => {
        const facts = await outside.facts('event.inbox.rejected');
        return facts.length >= 5 ? facts.map(({ event: { data } }) => data) : undefined;
      },
      { what: 'all are rejected' },
    );
    const rejected = (eventId: string | null, source: string | null, reason: string) => ({
      subject: `${rig.upState().subjectRoot}.${REQUESTED}`,
      eventId,
      source,
      reason: expect.stringContaining(reason),
    });
    expect(rejections).toEqual([
      rejected(null, null, 'is no JSON'),
      rejected('unknown-type', '/ci/main', 'unknown type "holdfast.task.exploded"'),
      rejected(null, '/ci/main', 'id: '),
      rejected('no-title', '/ci/main', 'title: '),
      rejected('wrong-subject', '/ci/main', 'does not belong on subject'),
    ]);
    expect([forgotten, await tasksTitled('never made')]).toEqual([expect.any(String), []]);
  });

  it('keeps an event that comes before its task until the task is there', async () => {
    await outside.publish(CANCELLED, event('cancelled', { taskId: 'early', reason: 'changed our minds' }));
    await lastInLine();
    await outside.publish(REQUESTED, event('requested', { taskId: 'early', title: 'early', agent: agentThatExits(0) }));
    expect(await rig.taskIs('early', 'cancelled')).toMatchObject({ reason: { text: 'changed our minds' }, sessions: [] });
    const { items } = await rig.holdfast.getTaskHistory('early');
    expect(items.map(({ verb, by }) => [verb, by])).toEqual([
      ['created', 'service:/ci/main'],
      ['cancelled', 'service:/ci/main'],
    ]);
  });
});
