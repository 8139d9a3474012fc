/** A task from its request over REST to its end, and the same story as the broker tells it to others. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { taskSchema, type Task } from '@holdfast/contracts';
import { waitFor } from '@holdfast/testing';
import { OutsideClient, startRig, type Rig } from '../src/index.js';

/** An agent that ends when it is told to, with the code it is told. */
const AGENT = { kind: 'command', args: ['sh', '-c', 'read code; exit "$code"'] } as const;

describe('a task that is created with a launch', () => {
  let rig: Rig;
  let outside: OutsideClient;

  beforeAll(async () => {
    rig = await startRig();
    outside = await OutsideClient.connect(rig.upState());
  }, 60_000);
  afterAll(async () => {
    await outside[Symbol.asyncDispose]();
    await rig[Symbol.asyncDispose]();
  });

  async function requested(title: string): Promise<Task> {
    const response = await rig.request('POST', '/v1/tasks', { title, agent: AGENT, launch: true });
    expect(response.status).toBe(201);
    return taskSchema.parse(await response.json());
  }

  /** Subject, type and what matters of the data, once the broker has the last of them. */
  async function told(prefix: string, lastVerb: string) {
    const facts = await waitFor(
      async () => {
        const facts = await outside.facts(prefix);
        return facts.some(({ subject }) => subject.endsWith(`.${lastVerb}`)) ? facts : undefined;
      },
      { what: `${prefix} ${lastVerb} is stored`, withinMs: 20_000 },
    );
    expect(new Set(facts.map(({ event }) => `${event.source} ${event.id}`)).size).toBe(facts.length);
    return facts;
  }

  it.each([
    { code: 0, status: 'completed', record: 'completed' },
    { code: 3, status: 'terminated', record: 'aborted' },
  ] as const)('runs its session and is $status when it exits with $code', async ({ code, status, record }) => {
    const { taskId } = await requested(`exits with ${code}`);
    const running = await rig.taskIs(taskId, 'in_progress');
    const sessionId = running.sessions[0]?.sessionId ?? '';
    const { items } = await rig.holdfast.listSessions({ taskId });
    expect(items).toEqual([expect.objectContaining({ sessionId, state: 'running', owner: `task:${taskId}`, taskId, command: AGENT.args })]);

    await rig.holdfast.sendInput(sessionId, { text: `${code}\r` });
    const ended = await rig.taskIs(taskId, status);
    const exit = { code };
    expect(ended).toMatchObject({ reason: { exit }, sessions: [{ sessionId, epoch: 1, lastStatus: record, exit }] });

    const story = [
      [1, 'created', 'open'],
      [2, 'launched', 'pending'],
      [3, 'started', 'in_progress'],
      [4, status, status],
    ];
    const taskFacts = await told(`event.task.${taskId}.`, status);
    expect(taskFacts.map(({ event: { data } }) => [data['sequence'], data['verb'], data['status']])).toEqual(story);
    expect(taskFacts.map(({ subject, event }) => [subject, event.type, event.specversion])).toEqual(
      story.map(([, verb]) => [`event.task.${taskId}.${verb}`, `holdfast.task.${verb}`, '1.0']),
    );
    expect(taskFacts.at(-1)?.event.data).toMatchObject({ reason: { exit }, task: ended });
    const history = await rig.holdfast.getTaskHistory(taskId);
    expect(history.items.map(({ eventId }) => eventId)).toEqual(taskFacts.map(({ event }) => event.id));

    const about = { sessionId, epoch: 1, owner: `task:${taskId}`, taskId };
    const sessionFacts = await told(`event.session.${sessionId}.`, 'exited');
    expect(sessionFacts.map(({ subject, event }) => [subject, event.type, event.data])).toEqual([
      [`event.session.${sessionId}.started`, 'holdfast.session.started', expect.objectContaining({ ...about, pid: items[0]?.pid })],
      [`event.session.${sessionId}.exited`, 'holdfast.session.exited', expect.objectContaining({ ...about, exit })],
    ]);
  });

  it('ends its session when it is cancelled', async () => {
    const { taskId } = await requested('is cancelled');
    const running = await rig.taskIs(taskId, 'in_progress');
    const sessionId = running.sessions[0]?.sessionId ?? '';
    await rig.holdfast.cancelTask(taskId, { reason: 'no longer wanted' });
    expect(await rig.ended(sessionId)).toMatchObject({ state: 'exited' });
    await told(`event.session.${sessionId}.`, 'exited');
    const closed = await waitFor(
      async () => {
        const task = await rig.holdfast.getTask(taskId);
        return task.sessions[0]?.lastStatus === 'aborted' ? task : undefined;
      },
      { what: 'the record is closed', withinMs: 20_000 },
    );
    expect(closed).toMatchObject({ status: 'cancelled', reason: { text: 'no longer wanted' } });
  });
});
