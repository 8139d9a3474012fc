/** Launches and ends over a real store, with a clock set by hand and supervisors that fail as told. */
import { afterAll, describe, expect, it } from '@jest/globals';
import { sessionSchema, type Session } from '@holdfast/contracts';
import { DEFAULT_ADMISSION_LIMITS, TASK_REQUESTS, type AdmissionLimits } from '@holdfast/domain-task';
import { ServiceError, type ErrorCode } from '@holdfast/kernel';
import { JsonLog } from '@holdfast/platform-observability';
import { createTempDirectory, waitFor, watchForLeaks } from '@holdfast/testing';
import fc from 'fast-check';
import { join } from 'node:path';
import type { Clock } from '../src/host/clock.js';
import { noPausePoints } from '../src/host/pause-points.js';
import { LaunchControl } from '../src/launch/launch-control.js';
import type { LaunchSpec } from '../src/launch/session-spec.js';
import { TaskDatabase } from '../src/store/task-database.js';
import { taskCore } from '../src/task-core.js';
import { shell } from './service-rig.js';

const leaks = watchForLeaks();
afterAll(() => leaks.expectNone());
const by = 'operator:ada';

/** Everything that a launch touches, without a broker. `launch`, `get`, `kill` answer as the test says. */
async function startRig(limits: AdmissionLimits = DEFAULT_ADMISSION_LIMITS) {
  const directory = await createTempDirectory();
  const database = await TaskDatabase.open(`file:${join(directory.path, 'tasks.db')}`);
  const clock = handClock();
  const core = taskCore({ store: database, clock, root: 'holdfast.v1', limits, token: 'token' });
  const sent: { readonly hostId: string; readonly spec: LaunchSpec; readonly attempt: number }[] = [];
  const answers = {
    launch: (hostId: string, spec: LaunchSpec): Session => sessionOf(hostId, spec),
    get: (): Session => refuse('session.not-found'),
    kill: (): never => refuse('session.not-found'),
  };
  const control = new LaunchControl({
    ...{ ...core, log: new JsonLog('test', () => undefined), instance: 'default', pausePoints: noPausePoints, isBrokerThere: () => true },
    supervisors: {
      launch: async (hostId, { spec, attempt }) => {
        sent.push({ hostId, spec, attempt });
        return answers.launch(hostId, spec);
      },
      get: async () => answers.get(),
      kill: async () => answers.kill(),
    },
  });
  const round = async () => {
    for (const { run } of control.duties) await run();
  };
  const create = (title: string) => database.write((unit) => core.create.run(unit, { task: { ...shell(title), launch: true }, by }));
  return {
    ...{ core, clock, control, answers, sent, round, create, database },
    get: core.queries.get.bind(core.queries),
    cancel: async (taskId: string) => {
      const task = await database.write(async (unit) => {
        const found = await unit.tasks.find(taskId);
        return found && core.changes.act(unit, found, 'cancel', { by });
      });
      if (task) await control.changed(task);
    },
    launch: async (title: string) => {
      const { task } = await create(title);
      await control.changed(task);
      return core.queries.get(task.taskId);
    },
    /** Passes time and does the rounds until the task is as wanted. */
    until: (taskId: string, is: (task: Awaited<ReturnType<typeof core.queries.get>>) => boolean, stepMs = 1_000) =>
      waitFor(
        async () => {
          clock.now += stepMs;
          await round();
          const task = await core.queries.get(taskId);
          return is(task) ? task : undefined;
        },
        { what: 'the task is as wanted' },
      ),
    async [Symbol.asyncDispose]() {
      await database.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

function handClock(): Clock & { now: number } {
  const clock = {
    now: 1_000_000,
    monotonicMs: () => clock.now,
    bootMoment: () => ({ bootId: 'boot', ms: clock.now }),
    wallTime: (aheadMs = 0) => new Date(clock.now + aheadMs).toISOString(),
  };
  return clock;
}

function refuse(code: ErrorCode): never {
  throw new ServiceError(code, code);
}

function sessionOf(hostId: string, spec: LaunchSpec): Session {
  return sessionSchema.parse({
    ...{ sessionId: spec.sessionId, epoch: 1, hostId, backend: 'tmux', state: 'running', pid: 1, cols: 1, rows: 1 },
    ...{ createdAt: 't', startedAt: 't', endedAt: null, offset: 0, earliestOffset: 0, owner: spec.owner, agentKind: 'command' },
    ...{ command: spec.command, cwd: '/', labels: {}, capabilities: { exactOutput: true, exactAfterGap: true, exitCode: true } },
  });
}

function beat(hostId: string): unknown {
  const data = { instance: 'default', hostId, bootId: 'b', term: 1, seq: 1, capacity: { sessions: 64, holders: 8 }, sessions: [] };
  const event = { specversion: '1.0', id: '1', source: '/x', type: 'holdfast.liveness.host', time: 't' };
  return { ...event, datacontenttype: 'application/json', data };
}

describe('a launch', () => {
  it('that waits for longer than 240 minutes is cancelled, also without any host', async () => {
    await using rig = await startRig();
    const { taskId } = await rig.launch('waits');
    rig.clock.now += 240 * 60_000;
    await rig.round();
    expect((await rig.get(taskId)).status).toBe('pending');
    rig.clock.now += 1;
    await rig.round();
    expect(await rig.get(taskId)).toMatchObject({
      status: 'cancelled',
      reason: { text: 'pending for longer than 240 minutes' },
      sessions: [],
    });
  });

  it('goes to another host, with the same session id, when the first was certainly not reached', async () => {
    await using rig = await startRig();
    rig.control.hear(beat('a'));
    rig.answers.launch = (hostId, spec) => (hostId === 'a' ? refuse('service.unreachable') : sessionOf(hostId, spec));
    const { taskId } = await rig.launch('moves');
    rig.clock.now += 20_000;
    rig.control.hear(beat('b'));
    const task = await rig.until(taskId, ({ status }) => status === 'in_progress');
    expect([task.sessions[0]?.hostId, task.sessions[0]?.backend, new Set(rig.sent.map(({ spec }) => spec.sessionId)).size]).toEqual([
      'b',
      'tmux',
      1,
    ]);
  });

  it('stays with a host that may have heard of it, however long that host is silent', async () => {
    await using rig = await startRig();
    rig.control.hear(beat('a'));
    rig.answers.launch = () => refuse('deadline.exceeded');
    const { taskId } = await rig.launch('stays');
    rig.clock.now += 20_000;
    rig.control.hear(beat('b'));
    await waitFor(
      async () => {
        rig.clock.now += 1_000;
        await rig.round();
        return rig.sent.length >= 3;
      },
      { what: 'three attempts' },
    );
    rig.answers.launch = sessionOf;
    await rig.until(taskId, ({ status }) => status === 'in_progress');
    const ids = new Set(rig.sent.map(({ hostId, spec }) => `${hostId} ${spec.sessionId}`));
    expect([ids.size, rig.sent.map(({ attempt }) => attempt)]).toEqual([1, rig.sent.map((_, at) => at + 1)]);
  });

  it('takes the session that an earlier attempt started from another spec', async () => {
    await using rig = await startRig();
    rig.control.hear(beat('a'));
    rig.answers.launch = () => refuse('session.conflict');
    rig.answers.get = () => sessionOf('a', rig.sent[0]?.spec as LaunchSpec);
    expect(await rig.launch('was there')).toMatchObject({ status: 'in_progress', sessions: [{ lastStatus: 'running' }] });
  });
});

describe('the session of a cancelled task', () => {
  it('counts as dead only when its launch command can arrive no more', async () => {
    await using rig = await startRig();
    rig.control.hear(beat('a'));
    rig.answers.launch = () => refuse('deadline.exceeded');
    const { taskId } = await rig.launch('in flight');
    const commandedAt = rig.clock.now;
    await rig.cancel(taskId);
    const task = await rig.until(taskId, ({ sessions }) => sessions[0]?.lastStatus === 'aborted');
    expect([task.status, rig.clock.now - commandedAt > 50_000]).toEqual(['cancelled', true]);
  });

  it('that runs and is unknown to its host is lost', async () => {
    await using rig = await startRig();
    rig.control.hear(beat('a'));
    const { taskId } = await rig.launch('forgotten');
    await rig.cancel(taskId);
    const task = await rig.until(taskId, ({ sessions }) => sessions[0]?.lastStatus === 'lost');
    expect(task.sessions[0]?.exit).toEqual({ lost: 'its host does not know it' });
  });
});

describe('an owner', () => {
  it('launches 30 tasks in 10 s, and more as soon as it was told', async () => {
    await using rig = await startRig({ ...DEFAULT_ADMISSION_LIMITS, maxPending: 1_000 });
    for (let at = 0; at < 30; at += 1) await rig.create(`launch ${at}`);
    rig.clock.now += 4_000;
    const refused = await rig.create('one more').then(
      () => undefined,
      (error: ServiceError) => [error.code, error.detail?.['retryAfterMs']],
    );
    rig.clock.now += 6_000;
    expect([refused, (await rig.create('one more')).created]).toEqual([['task.launch-rate', 6_000], true]);
  });
});

describe('the facts of a task', () => {
  it('count 1, 2, … without gaps and end with its status, whatever is asked of it', async () => {
    await using rig = await startRig({ ...DEFAULT_ADMISSION_LIMITS, maxLaunchesPerWindow: 10_000 });
    const ask = async (taskId: string, action: (typeof TASK_REQUESTS)[number]) => {
      await rig.database
        .write(async (unit) => {
          const task = await unit.tasks.find(taskId);
          if (task)
            await (action === 'launch' ? rig.core.admission.launch(unit, task, { by }) : rig.core.changes.act(unit, task, action, { by }));
        })
        .catch((error: ServiceError) => expect(error.code).toBe('task.illegal-transition'));
    };
    const sequences = fc.array(fc.constantFrom(...TASK_REQUESTS), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(sequences, async (actions) => {
        const { task } = await rig.database.write((unit) => rig.core.create.run(unit, { task: shell('any'), by }));
        for (const action of actions) await ask(task.taskId, action);
        const [now, { items }] = [await rig.get(task.taskId), await rig.core.queries.events(task.taskId)];
        expect(items.map(({ sequence }) => sequence)).toEqual(items.map((_, at) => at + 1));
        expect([items.length, items[items.length - 1]?.status]).toEqual([now.sequence, now.status]);
        if (now.status === 'pending') await ask(task.taskId, 'cancel');
      }),
      { numRuns: 40 },
    );
  });
});
