/** What a task's session is started with, where, and when a failure is tried again. */
import { describe, expect, it } from '@jest/globals';
import type { BootMoment } from '@holdfast/domain-task';
import type { Clock } from '../host/clock.js';
import { HostDirectory } from './host-directory.js';
import { RetrySchedule } from './retry-schedule.js';
import { commandOf } from './session-spec.js';

function handClock(): Clock & { now: number } {
  const clock = {
    now: 0,
    monotonicMs: () => clock.now,
    bootMoment: (): BootMoment => ({ bootId: 'b', ms: clock.now }),
    wallTime: () => new Date(clock.now).toISOString(),
  };
  return clock;
}

function beat(hostId: string, running: number, instance = 'default'): unknown {
  const session = { epoch: 1, owner: 'operator:ada', backend: 'holder', pid: 1, ageMs: 1, lastOutputAgoMs: null, viewers: 0 };
  const sessions = [
    ...Array.from({ length: running }, (_, at) => ({ ...session, id: `s${at}`, state: 'running' })),
    { ...session, id: 'old', state: 'exited' },
  ];
  const data = { instance, hostId, bootId: 'b', term: 1, seq: 1, capacity: { sessions: 4, holders: 1 }, sessions };
  const event = { specversion: '1.0', id: '1', source: '/x', type: 'holdfast.liveness.host', time: 't' };
  return { ...event, datacontenttype: 'application/json', data };
}

describe('commandOf', () => {
  it.each([
    [{ kind: 'command', args: ['make', 'test'] }, ['make', 'test']],
    [{ kind: 'shell' }, ['bash']],
    [{ kind: 'shell', args: ['-c', 'exit 3'] }, ['bash', '-c', 'exit 3']],
    [{ kind: 'claude-code', args: ['--continue'], model: 'm' }, ['claude', '--model', 'm', '--continue']],
    [{ kind: 'codex' }, ['codex']],
    [{ kind: 'gemini' }, ['gemini']],
  ] as const)('makes of %j the argv %j', (agent, argv) => {
    expect(commandOf({ ...agent, ...('args' in agent ? { args: [...agent.args] } : {}) } as Parameters<typeof commandOf>[0])).toEqual(argv);
  });
});

describe('HostDirectory', () => {
  it('spreads sessions over the least loaded hosts, what it placed since their beats included', () => {
    const hosts = new HostDirectory('default', handClock(), () => undefined);
    hosts.hear(beat('a', 2));
    hosts.hear(beat('b', 1));
    expect(Array.from({ length: 6 }, () => hosts.place())).toEqual(['b', 'a', 'b', 'a', 'b', undefined]);
  });

  it('forgets a host that is silent for three beats, ignores other instances, and says when one is heard', () => {
    const clock = handClock();
    let news = 0;
    const hosts = new HostDirectory('default', clock, () => (news += 1));
    hosts.hear(beat('other', 0, 'blue'));
    hosts.hear({ nonsense: true });
    hosts.hear(beat('a', 0));
    hosts.hear(beat('a', 0));
    clock.now = 15_000;
    expect([hosts.place(), hosts.isHeard('a'), news]).toEqual([undefined, false, 1]);
    hosts.hear(beat('a', 0));
    expect([hosts.place(), news]).toEqual(['a', 2]);
  });
});

describe('HostDirectory before the first beat', () => {
  const entry = (hostId: string) => ({ hostId, term: 1, link: null, backends: ['holder'], capacity: { sessions: 2 }, at: 'today' });

  it('takes a host at its entry, until nobody serves it', () => {
    const told: string[] = [];
    const hosts = new HostDirectory('default', handClock(), () => told.push('news'));
    hosts.read(entry('a'));
    hosts.read({ nonsense: true });
    expect([hosts.place(), told]).toEqual(['a', ['news']]);
    hosts.missed('a');
    expect([hosts.place(), hosts.isHeard('a')]).toEqual([undefined, false]);
    hosts.hear(beat('a', 0));
    expect([hosts.place(), told]).toEqual(['a', ['news', 'news']]);
  });

  it('prefers a host that was heard, and believes its beat over its entry', () => {
    const hosts = new HostDirectory('default', handClock(), () => undefined);
    hosts.read(entry('a'));
    hosts.hear(beat('b', 1));
    hosts.read({ ...entry('b'), capacity: { sessions: 100 } });
    expect(Array.from({ length: 5 }, () => hosts.place())).toEqual(['b', 'b', 'b', 'a', 'a']);
  });
});

describe('RetrySchedule', () => {
  it('doubles its pauses up to 30 s, each key by itself', () => {
    const clock = handClock();
    const retries = new RetrySchedule(clock);
    const pauses: number[] = [];
    for (let failure = 0; failure < 8; failure += 1) {
      retries.failedNow('a');
      const from = clock.now;
      while (!retries.isDue('a')) clock.now += 500;
      pauses.push(clock.now - from);
    }
    expect([pauses, retries.isDue('b')]).toEqual([[500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000], true]);
  });
});
