/** `kill -9` of the task service at each step of a launch: one session comes of it, or none, counted by the kernel. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@holdfast/testing';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OutsideClient, sessionMarksWith, startRig, type Rig } from '../src/index.js';

const STEPS = ['reservation', 'persisted', 'commanded', 'recorded'] as const;
type Step = (typeof STEPS)[number];

describe('a task service that is killed during a launch', () => {
  let rig: Rig;
  let outside: OutsideClient;

  beforeAll(async () => {
    rig = await startRig({ environment: { HOLDFAST_TEST_HOOKS: '1', HOLDFAST_TEST_PAUSE_AT: STEPS.join(',') } });
    outside = await OutsideClient.connect(rig.upState());
  }, 60_000);
  afterAll(async () => {
    await outside[Symbol.asyncDispose]();
    await rig[Symbol.asyncDispose]();
  });

  /** A launch pauses where no marker is, and leaves one. */
  const marker = (step: Step) => join(rig.stateDir, `test-paused-at-${step}`);
  function pauseAt(wanted: readonly Step[]): void {
    for (const step of STEPS) {
      if (wanted.includes(step)) rmSync(marker(step), { force: true });
      else writeFileSync(marker(step), '');
    }
  }

  /** By the inbox: nobody waits for an answer that the kill would swallow. */
  async function requestLaunch(taskId: string): Promise<void> {
    const agent = { kind: 'command', args: ['sleep', '600'] };
    const data = { taskId, title: taskId, agent, env: { TASK_UNDER_TEST: taskId }, launch: true };
    const event = { specversion: '1.0', id: taskId, source: '/e2e', type: 'holdfast.task.requested', data };
    await outside.publish('inbox.task.requested', event);
  }

  async function isAt(step: Step): Promise<void> {
    await waitFor(() => existsSync(marker(step)), { what: `the launch is at ${step}`, withinMs: 20_000 });
  }

  const marksOf = (taskId: string) => sessionMarksWith(`TASK_UNDER_TEST=${taskId}`);

  /** A child that was forked a moment ago has its parent's environment until it runs its program. */
  async function marksAppear(taskId: string): Promise<void> {
    await waitFor(() => marksOf(taskId).length > 0, { what: `the session of ${taskId} runs its program` });
  }

  async function expectOneSession(taskId: string): Promise<void> {
    const running = await rig.taskIs(taskId, 'in_progress');
    const { items } = await rig.holdfast.listSessions({ taskId });
    await marksAppear(taskId);
    expect({ marks: marksOf(taskId).length, sessions: items.map(({ sessionId, state }) => ({ sessionId, state })), task: running }).toEqual(
      {
        marks: 1,
        sessions: [{ sessionId: running.sessions[0]?.sessionId, state: 'running' }],
        task: expect.objectContaining({ needsAttention: false, sessions: [expect.objectContaining({ epoch: 1, lastStatus: 'running' })] }),
      },
    );
    const { items: history } = await rig.holdfast.getTaskHistory(taskId);
    expect(history.map(({ sequence, verb }) => [sequence, verb])).toEqual([
      [1, 'created'],
      [2, 'launched'],
      [3, 'started'],
    ]);
  }

  it('starts one session for each of four launches, one at every step', async () => {
    // A launch passes the steps where others wait, so that each of them gets one step further.
    pauseAt(STEPS);
    for (const step of STEPS) {
      await requestLaunch(`at-${step}`);
      await isAt(step);
    }
    await rig.kill('task-service');
    for (const step of STEPS) await expectOneSession(`at-${step}`);
  });

  it('at all steps of the same launch, one after the other, starts one session', async () => {
    pauseAt(STEPS);
    await requestLaunch('killed-four-times');
    for (const step of STEPS) {
      await isAt(step);
      await rig.kill('task-service');
    }
    await expectOneSession('killed-four-times');
  });

  it('and has just been told to cancel it leaves no session behind', async () => {
    const taskId = 'cancelled';
    pauseAt(['commanded']);
    await requestLaunch(taskId);
    await isAt('commanded');
    await marksAppear(taskId);
    expect(marksOf(taskId)).toHaveLength(1);
    await rig.holdfast.cancelTask(taskId);
    await rig.kill('task-service');
    const closed = await waitFor(
      async () => {
        const task = await rig.holdfast.getTask(taskId);
        return task.sessions[0]?.lastStatus === 'aborted' ? task : undefined;
      },
      { what: 'its record is closed', withinMs: 20_000 },
    );
    expect([closed.status, marksOf(taskId)]).toEqual(['cancelled', []]);
  });
});
