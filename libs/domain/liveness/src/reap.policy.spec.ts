/** Every class of leak, every reason to keep or wait, and that nothing unknown is ever reaped. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  decideReap,
  effectiveOrphanAgeMs,
  type InventorySession,
  type LastHeard,
  type RecordAnswer,
  type ReapInput,
  type ReapLimits,
  type StoreAnswer,
  type TaskAnswer,
} from './index.js';

const HOUR_MS = 3_600_000;
const limits: ReapLimits = {
  silentAfterMs: 15_000,
  minBeats: 3,
  orphanAgeMs: 24 * HOUR_MS,
  pressureSessions: 20,
  orphanAgeUnderPressureMs: 2 * HOUR_MS,
  terminalTaskGraceMs: 60_000,
};
const heard: LastHeard = { hostId: 'h', term: 4, seq: 9, heardAtMs: 1_000_000, beats: 3 };
const session: InventorySession = {
  sessionId: 's',
  epoch: 1,
  state: 'running',
  owner: 'operator:ada',
  ageMs: 100 * HOUR_MS,
  keep: false,
  recorded: true,
  ownerGone: false,
};
const leaked = { ...session, owner: 'service:x', ttlMs: 0 };
const ofTask = { ...session, owner: 'task:t', taskId: 't' };
const knowsNothing: StoreAnswer = { silent: false };
const endedTask: TaskAnswer = { taskId: 't', known: true, status: 'completed', endedForMs: 60_001 };
const liveTask: TaskAnswer = { taskId: 't', known: true, status: 'in_progress', endedForMs: null };
const record: RecordAnswer = { sessionId: 's', taskId: 't', lastStatus: 'running', endedForMs: null };

function decide(changes: Partial<ReapInput>) {
  return decideReap({ session, store: knowsNothing, heard, liveSessions: 1, now: 1_000_000, limits, ...changes });
}
const shortly = (changes: Partial<ReapInput>) => {
  const verdict = decide(changes);
  return [verdict.do, 'class' in verdict ? verdict.class : undefined, verdict.why];
};

describe('decideReap reaps', () => {
  it.each<readonly [string, Partial<ReapInput>, readonly string[]]>([
    ['a service’s session whose time ran out', { session: leaked }, ['reap', 'unowned', 'ttl-ran-out']],
    ['what nobody had written down', { session: { ...session, recorded: false } }, ['reap', 'unowned', 'unrecorded']],
    ['what its pool left behind', { session: { ...session, owner: 'pool:p', ownerGone: true } }, ['reap', 'unowned', 'owner-gone']],
    ['what never had an owner', { session: { ...session, owner: '' } }, ['reap', 'unowned', 'owner-gone']],
    [
      'a younger one under pressure',
      { session: { ...leaked, ageMs: 3 * HOUR_MS }, liveSessions: 20 },
      ['reap', 'unowned-under-pressure', 'ttl-ran-out'],
    ],
    ['an old one under pressure as what it is anyway', { session: leaked, liveSessions: 20 }, ['reap', 'unowned', 'ttl-ran-out']],
    [
      'what outlived its task',
      { session: ofTask, store: { silent: false, task: endedTask } },
      ['reap', 'terminal-task-leak', 'task-ended'],
    ],
    [
      'what names an ended task by its owner only',
      { session: { ...session, owner: 'task:t' }, store: { silent: false, task: endedTask } },
      ['reap', 'terminal-task-leak', 'task-ended'],
    ],
    [
      'what outlived its record, the task going on elsewhere',
      { session: ofTask, store: { silent: false, task: liveTask, record: { ...record, lastStatus: 'aborted', endedForMs: 70_000 } } },
      ['reap', 'terminal-task-leak', 'record-ended'],
    ],
    [
      'an unowned young one whose record ended',
      {
        session: { ...leaked, ageMs: 1 },
        store: { silent: false, record: { ...record, epoch: 1, lastStatus: 'completed', endedForMs: 70_000 } },
      },
      ['reap', 'terminal-task-leak', 'record-ended'],
    ],
  ])('%s', (_title, changes, expected) => expect(shortly(changes)).toEqual(expected));

  it('with the evidence it stands on', () => {
    expect(decide({ session: { ...leaked, renewedAgoMs: 90 * HOUR_MS }, now: 1_001_000 }).evidence).toEqual({
      owner: 'service:x',
      ageMs: 100 * HOUR_MS + 1_000,
      liveSessions: 1,
      term: 4,
      seq: 9,
      heardAgoMs: 1_000,
      ttlMs: 0,
      renewedAgoMs: 90 * HOUR_MS + 1_000,
      limitMs: 24 * HOUR_MS,
    });
  });
});

describe('decideReap keeps or waits', () => {
  it.each<readonly [string, Partial<ReapInput>, readonly [string, string]]>([
    ['an operator’s session', {}, ['keep', 'operator']],
    ['a live pool’s session', { session: { ...session, owner: 'pool:p' } }, ['keep', 'pool']],
    ['an owner of a kind it does not know', { session: { ...session, owner: 'crew:x' } }, ['keep', 'crew']],
    ['a service’s session for ever', { session: { ...session, owner: 'service:x' } }, ['keep', 'service-for-ever']],
    ['a service’s session whose time still runs', { session: { ...leaked, ttlMs: 101 * HOUR_MS } }, ['keep', 'service-ttl-runs']],
    ['a service’s session that was renewed', { session: { ...leaked, renewedAgoMs: 1_000 } }, ['wait', 'young']],
    ['an exempt one, visibly', { session: { ...leaked, keep: true } }, ['keep', 'exempt']],
    ['an ended one', { session: { ...leaked, state: 'exited' } }, ['keep', 'ended']],
    ['one whose holder does not answer', { session: { ...leaked, state: 'unreachable' } }, ['wait', 'unreachable']],
    ['one that just starts', { session: { ...leaked, state: 'starting' } }, ['wait', 'starting']],
    ['a young one', { session: { ...leaked, ageMs: 24 * HOUR_MS } }, ['wait', 'young']],
    ['one of unknown age', { session: { ...leaked, ageMs: null } }, ['wait', 'age-unknown']],
    ['one whose renewal is unknown', { session: { ...leaked, renewedAgoMs: null } }, ['wait', 'age-unknown']],
    ['all of a silent host', { session: leaked, now: 1_015_001 }, ['wait', 'host-silent']],
    ['all while it was deaf itself', { session: leaked, heard: { ...heard, beats: 2 } }, ['wait', 'deaf']],
    ['an unowned one while the store is silent', { session: leaked, store: { silent: true } }, ['wait', 'store-silent']],
    ['an unowned one that a record claims', { session: leaked, store: { silent: false, record } }, ['keep', 'live-record']],
    ['a task’s one while the store is silent', { session: ofTask, store: { silent: true } }, ['wait', 'store-silent']],
    ['a live task’s one', { session: ofTask, store: { silent: false, task: liveTask, record } }, ['keep', 'live-record']],
    ['a live task’s one without a record', { session: ofTask, store: { silent: false, task: liveTask } }, ['keep', 'live-task']],
    [
      'one whose task ended a moment ago',
      { session: ofTask, store: { silent: false, task: { ...endedTask, endedForMs: 60_000 } } },
      ['wait', 'young'],
    ],
    [
      'one whose task ended nobody knows when',
      { session: ofTask, store: { silent: false, task: { ...endedTask, endedForMs: null } } },
      ['wait', 'age-unknown'],
    ],
    [
      'one that was restarted after its record ended',
      {
        session: { ...ofTask, epoch: 2 },
        store: { silent: false, task: liveTask, record: { ...record, lastStatus: 'aborted', endedForMs: HOUR_MS } },
      },
      ['wait', 'record-of-other-epoch'],
    ],
    [
      'one that its record calls lost',
      { session: ofTask, store: { silent: false, task: liveTask, record: { ...record, lastStatus: 'lost', endedForMs: HOUR_MS } } },
      ['wait', 'record-lost'],
    ],
  ])('%s', (_title, changes, [verdict, why]) => expect(shortly(changes)).toEqual([verdict, undefined, why]));

  it.each<readonly [string, TaskAnswer | undefined]>([
    ['does not have', { taskId: 't', known: false, endedForMs: null }],
    ['says nothing of', undefined],
    ['knows without a status', { taskId: 't', known: true, endedForMs: HOUR_MS }],
  ])('waits and alerts for a task that the store %s', (_title, task) => {
    expect(decide({ session: { ...ofTask, ownerGone: true, recorded: false }, store: { silent: false, task } })).toMatchObject({
      do: 'wait',
      why: 'task-unknown',
      alert: true,
    });
  });
});

describe('effectiveOrphanAgeMs', () => {
  it('is the smaller age from the pressure limit on, also when the one for pressure is the larger', () => {
    expect([
      effectiveOrphanAgeMs(19, limits),
      effectiveOrphanAgeMs(20, limits),
      effectiveOrphanAgeMs(20, { ...limits, orphanAgeUnderPressureMs: 99 * HOUR_MS }),
    ]).toEqual([24 * HOUR_MS, 2 * HOUR_MS, 24 * HOUR_MS]);
  });
});

describe('decideReap, whatever it is told', () => {
  const age = fc.oneof(
    fc.constant(null),
    fc.constant(Number.NaN),
    fc.constant(Number.POSITIVE_INFINITY),
    fc.constant(-1),
    fc.nat(200 * HOUR_MS),
  );
  const anySession = fc.record({
    sessionId: fc.constant('s'),
    epoch: fc.integer({ min: 1, max: 3 }),
    state: fc.constantFrom('starting', 'running', 'unreachable', 'exited', 'lost'),
    owner: fc.constantFrom('operator:a', 'task:t', 'pool:p', 'service:x', '', 'crew:x'),
    taskId: fc.constantFrom(undefined, 't'),
    ageMs: age,
    renewedAgoMs: fc.oneof(fc.constant(undefined), age),
    ttlMs: fc.constantFrom(undefined, 0, HOUR_MS),
    keep: fc.boolean(),
    recorded: fc.boolean(),
    ownerGone: fc.boolean(),
  }) satisfies fc.Arbitrary<InventorySession>;
  const anyTask = fc.option(
    fc.record({
      taskId: fc.constant('t'),
      known: fc.boolean(),
      status: fc.constantFrom(undefined, 'open', 'pending', 'in_progress', 'completed', 'terminated', 'cancelled'),
      endedForMs: age,
    }),
    { nil: undefined },
  ) satisfies fc.Arbitrary<TaskAnswer | undefined>;
  const anyRecord = fc.option(
    fc.record({
      sessionId: fc.constant('s'),
      taskId: fc.constant('t'),
      epoch: fc.constantFrom(undefined, 1, 2),
      lastStatus: fc.constantFrom('starting', 'running', 'completed', 'aborted', 'lost'),
      endedForMs: age,
    }),
    { nil: undefined },
  ) satisfies fc.Arbitrary<RecordAnswer | undefined>;
  const anyInput = fc.record({
    session: anySession,
    store: fc.oneof(
      fc.constant({ silent: true } as const),
      fc.record({ silent: fc.constant(false as const), task: anyTask, record: anyRecord }),
    ),
    heard: fc.record({ hostId: fc.constant('h'), term: fc.nat(3), seq: fc.nat(9), heardAtMs: fc.constant(0), beats: fc.nat(5) }),
    liveSessions: fc.nat(30),
    now: fc.oneof(fc.nat(30_000), fc.constant(Number.NaN)),
    limits: fc.constant(limits),
  }) satisfies fc.Arbitrary<ReapInput>;

  const isKnownAge = (ageMs: number | null | undefined): boolean => typeof ageMs === 'number' && Number.isFinite(ageMs) && ageMs >= 0;
  const namesTask = ({ session: { owner, taskId } }: ReapInput): boolean => taskId !== undefined || owner === 'task:t';

  it('never reaps on anything unknown', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const verdict = decideReap(input);
        if (verdict.do !== 'reap') return;
        const { store } = input;
        if (store.silent) throw new Error('reaped without the store');
        const knowledge = {
          hostHeard: input.now <= limits.silentAfterMs,
          notDeaf: input.heard.beats >= limits.minBeats,
          running: input.session.state === 'running',
          exempt: input.session.keep,
          taskKnown: !namesTask(input) || (store.task?.known === true && store.task.status !== undefined),
          ageKnown:
            verdict.class === 'terminal-task-leak'
              ? isKnownAge(verdict.why === 'task-ended' ? store.task?.endedForMs : store.record?.endedForMs)
              : isKnownAge(
                  input.session.renewedAgoMs === undefined || verdict.why !== 'ttl-ran-out'
                    ? input.session.ageMs
                    : input.session.renewedAgoMs,
                ),
        };
        expect(knowledge).toEqual({ hostHeard: true, notDeaf: true, running: true, exempt: false, taskKnown: true, ageKnown: true });
      }),
      { numRuns: 5_000 },
    );
  });

  it('never reaps what an operator, a live pool or a live record owns, unless its task ended', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { session: given, store } = input;
        const owned = given.recorded && !given.ownerGone && /^(operator|pool):/.test(given.owner);
        const liveRecord = !store.silent && (store.record?.lastStatus === 'running' || store.record?.lastStatus === 'starting');
        const verdict = decideReap(input);
        if ((owned && !namesTask(input)) || liveRecord) expect(verdict.do !== 'reap' || verdict.why === 'task-ended').toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });

  it('changes its mind only towards reaping while a session grows older', () => {
    fc.assert(
      fc.property(anyInput, fc.nat(100 * HOUR_MS), (input, olderBy) => {
        const { ageMs } = input.session;
        if (!isKnownAge(ageMs) || decideReap(input).do !== 'reap') return;
        const older = { ...input, session: { ...input.session, ageMs: (ageMs ?? 0) + olderBy } };
        expect(decideReap(older).do).toBe('reap');
      }),
      { numRuns: 2_000 },
    );
  });
});
