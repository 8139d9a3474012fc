/** The broker goes and comes back: terminals never notice, and every fact of the time between arrives once, in order. */
import { describe, expect, it } from '@jest/globals';
import type { Task } from '@holdfast/contracts';
import { startNatsServer, waitFor } from '@holdfast/testing';
import { OutsideClient, startRig, type OutsideFact, type Rig } from '../src/index.js';

/** Ends with the code it is told. */
const AGENT = { kind: 'command' as const, args: ['sh', '-c', 'echo ready; read code; exit "$code"'] };
/** Services look for a broker every five seconds at the latest, and facts are sent again then. */
const CAUGHT_UP_WITHIN_MS = 40_000;

describe('a broker that goes away and comes back', () => {
  it('costs no terminal anything and no fact', async () => {
    await using nats = await startNatsServer();
    await using rig = await startRig({ environment: { HOLDFAST_NATS_URL: nats.url } });
    await using outside = await OutsideClient.connect(rig.upState());
    expect(rig.upState().natsUrl).toBe(nats.url);
    const tasks = await Promise.all(Array.from({ length: 4 }, (_, index) => started(rig, `task-${index}`)));
    const watched = await rig.createSession({ command: ['sh', '-c', 'while read -r line; do echo "got $line"; done'] });
    const viewer = await rig.open(watched.sessionId, { from: 0, epoch: 1, mode: 'write' });

    await nats.stop();
    await viewer.sendText('while it is away\r');
    await viewer.sees('got while it is away');
    for (const [code, task] of tasks.entries()) await rig.holdfast.sendInput(sessionOf(task), { text: `${code}\r` });
    await Promise.all(tasks.map((task) => rig.ended(sessionOf(task))));
    const unheardOf = await rig.createSession({ command: ['sh', '-c', 'exit 9'] });
    await rig.ended(unheardOf.sessionId);
    await Promise.all([rig.kill('session-supervisor'), rig.kill('task-service')]);
    await viewer.sendText('and after a kill\r');
    await viewer.sees('got and after a kill\r\n');
    expect(await rig.holdfast.health()).toMatchObject({ status: 'degraded', nats: { status: 'unreachable' } });

    await nats.restart();
    const ended = await Promise.all(
      tasks.map(({ taskId }, code) => rig.taskIs(taskId, code === 0 ? 'completed' : 'terminated', CAUGHT_UP_WITHIN_MS)),
    );
    expect(ended.map(({ sessions }) => sessions.map(({ exit }) => exit))).toEqual(tasks.map((_, code) => [{ code }]));
    const stories = [
      ...tasks.flatMap((task, code) => [
        {
          of: `event.task.${task.taskId}.`,
          story: ['1 created', '2 launched', '3 started', `4 ${code === 0 ? 'completed' : 'terminated'}`],
        },
        { of: `event.session.${sessionOf(task)}.`, story: ['started', 'exited'] },
      ]),
      { of: `event.session.${unheardOf.sessionId}.`, story: ['started', 'exited'] },
    ];
    for (const { of, story } of stories) {
      const isTold = async () => (await outside.facts(of)).length >= story.length;
      await waitFor(isTold, { what: `${story.length} facts of ${of}`, withinMs: CAUGHT_UP_WITHIN_MS });
    }
    const facts = await outside.facts('event.');
    expect(stories.map(({ of }) => ({ of, story: storyOf(facts, of) }))).toEqual(stories);
    expect(new Set(facts.map(({ event }) => `${event.source} ${event.id}`)).size).toBe(facts.length);
    expect({ starts: viewer.starts.length, bytes: viewer.bytes }).toEqual({ starts: 1, bytes: await rig.outputOf(watched.sessionId) });
  }, 120_000);
});

async function started(rig: Rig, taskId: string): Promise<Task> {
  await rig.holdfast.createTask({ taskId, title: taskId, agent: AGENT, launch: true });
  return rig.taskIs(taskId, 'in_progress');
}

function sessionOf(task: Task): string {
  return task.sessions[0]?.sessionId ?? '';
}

/** The verbs in the order of the stream, each with its number within a task. */
function storyOf(facts: readonly OutsideFact[], prefix: string): readonly string[] {
  return facts
    .filter(({ subject }) => subject.startsWith(prefix))
    .map(({ subject, event }) => [event.data['sequence'], subject.slice(prefix.length)].filter((part) => part !== undefined).join(' '));
}
