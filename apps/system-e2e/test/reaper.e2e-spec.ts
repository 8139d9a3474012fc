/** What leaks is reaped and what is owned is not, but only while the reaper can hear and the task store can answer. */
import { describe, expect, it } from '@jest/globals';
import { reaperAuditEntrySchema, type ReaperAuditEntry, type Session } from '@holdfast/contracts';
import { waitFor } from '@holdfast/testing';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OutsideClient, startRig, type Rig } from '../src/index.js';

/** Every leak is old enough at once; what keeps it alive is something else. */
const SHORT_LIMITS = { HOLDFAST_REAP_ORPHAN_AGE_MS: '0', HOLDFAST_REAP_TERMINAL_TASK_GRACE_MS: '0', HOLDFAST_REAP_INTERVAL_MS: '200' };
/** Three beats of five seconds, and the store's silence between. */
const HEARD_WITHIN_MS = 40_000;
const SLEEPER = ['sleep', '600'];
const UNOWNED = { command: SLEEPER, owner: 'service:e2e', ttlMs: 0 };

class ReaperWatch {
  constructor(private readonly rig: Rig) {}

  /** Waits until the dry run says this of the session: the reaper has looked and knows why it waits. */
  async waitsBecause(why: string, { sessionId }: Session): Promise<void> {
    await waitFor(
      async () =>
        (await this.rig.holdfast.reaperPlan()).verdicts.some((one) => one.sessionId === sessionId && one.do === 'wait' && one.why === why),
      { what: `session ${sessionId} waits because of ${why}`, withinMs: HEARD_WITHIN_MS, everyMs: 100 },
    );
  }

  /** Waits for whole sweeps from now on. */
  async sweepsTwice(): Promise<void> {
    const { sweeps } = await this.rig.holdfast.reaperStatus();
    await waitFor(async () => (await this.rig.holdfast.reaperStatus()).sweeps >= sweeps + 2, { what: 'two more sweeps', withinMs: 20_000 });
  }

  async isReaped({ sessionId }: Session): Promise<ReaperAuditEntry> {
    return waitFor(() => this.audit().find(({ verdict }) => verdict.sessionId === sessionId), {
      what: `session ${sessionId} is in the audit`,
      withinMs: HEARD_WITHIN_MS,
    });
  }

  /** The file itself. */
  audit(): readonly ReaperAuditEntry[] {
    const path = join(this.rig.stateDir, 'audit.jsonl');
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
    return lines.filter((line) => line !== '').map((line) => reaperAuditEntrySchema.parse(JSON.parse(line)));
  }
}

describe('the reaper', () => {
  it('reaps leaks, and waits while the task service or the broker is away', async () => {
    await using rig = await startRig({ environment: SHORT_LIMITS });
    await using outside = await OutsideClient.connect(rig.upState());
    const reaper = new ReaperWatch(rig);
    const states = async (sessions: readonly Session[]) =>
      Promise.all(sessions.map(async ({ sessionId }) => (await rig.holdfast.getSession(sessionId)).state));
    const { taskId } = await rig.holdfast.createTask({ title: 'done elsewhere', agent: { kind: 'command', args: SLEEPER } });
    await rig.holdfast.completeTask(taskId);

    rig.signal('task-service', 'SIGSTOP');
    const unowned = await rig.createSession(UNOWNED);
    const leaked = await rig.createSession({ command: SLEEPER, owner: `task:${taskId}`, taskId });
    const kept = await rig.createSession({ ...UNOWNED, labels: { keep: 'a person looks at it' } });
    const operators = await rig.createSession({ command: SLEEPER });
    await reaper.waitsBecause('store-silent', unowned);
    await reaper.waitsBecause('store-silent', leaked);
    await reaper.sweepsTwice();
    expect({ states: await states([unowned, leaked, kept, operators]), audit: reaper.audit() }).toEqual({
      states: ['running', 'running', 'running', 'running'],
      audit: [],
    });

    rig.signal('nats', 'SIGSTOP');
    rig.signal('task-service', 'SIGCONT');
    await waitFor(async () => (await rig.holdfast.health()).sessionReaper.status === 'unreachable', {
      what: 'nobody answers over the broker',
    });
    expect({ states: await states([unowned, leaked]), audit: reaper.audit() }).toEqual({ states: ['running', 'running'], audit: [] });

    await rig.kill('nats');
    await reaper.waitsBecause('deaf', unowned);
    expect({ states: await states([unowned, leaked]), audit: reaper.audit() }).toEqual({ states: ['running', 'running'], audit: [] });

    const entries = [await reaper.isReaped(unowned), await reaper.isReaped(leaked)];
    const report = expect.objectContaining({ survivors: [] });
    expect(entries).toEqual([
      expect.objectContaining({
        outcome: 'reaped',
        report,
        verdict: expect.objectContaining({ sessionId: unowned.sessionId, epoch: 1, do: 'reap', class: 'unowned', why: 'ttl-ran-out' }),
      }),
      expect.objectContaining({
        outcome: 'reaped',
        report,
        verdict: expect.objectContaining({
          sessionId: leaked.sessionId,
          epoch: 1,
          do: 'reap',
          class: 'terminal-task-leak',
          why: 'task-ended',
        }),
      }),
    ]);
    await reaper.sweepsTwice();
    expect(await states([unowned, leaked, kept, operators])).toEqual(['exited', 'exited', 'running', 'running']);

    const { verdicts } = await rig.holdfast.reaperPlan();
    const whyOf = ({ sessionId }: Session) => verdicts.find((verdict) => verdict.sessionId === sessionId);
    expect([whyOf(kept), whyOf(operators)]).toEqual([
      expect.objectContaining({ do: 'keep', why: 'exempt' }),
      expect.objectContaining({ do: 'keep', why: 'operator' }),
    ]);
    const reaped = { reapedTotal: 2, killFailedTotal: 0, reapedByClass: { unowned: 1, 'terminal-task-leak': 1 } };
    const health = await waitFor(
      async () => {
        const { sessionReaper } = await rig.holdfast.health();
        return sessionReaper.status === 'ok' && sessionReaper.reapedTotal === 2 ? sessionReaper : undefined;
      },
      { what: 'the health page has counted both' },
    );
    expect(health).toMatchObject({ enabled: true, effectiveOrphanAgeMs: 0, hostsHeard: 1, ...reaped });
    await expectTold(outside, [unowned, leaked]);
    expect(reaper.audit()).toHaveLength(2);
  }, 120_000);
});

/** The reaper's word and the supervisor's, once each. */
async function expectTold(outside: OutsideClient, sessions: readonly Session[]): Promise<void> {
  const ids = sessions.map(({ sessionId }) => sessionId).sort();
  const byReaper = await waitFor(
    async () => {
      const facts = await outside.facts('event.reaper.');
      return facts.length >= ids.length ? facts : undefined;
    },
    { what: 'the reaper has told it' },
  );
  expect(byReaper.map(({ subject }) => subject)).toEqual(ids.map(() => 'event.reaper.reaped'));
  expect(byReaper.map(({ event }) => (event.data['verdict'] as { sessionId: string }).sessionId).sort()).toEqual(ids);
  const bySupervisor = (await outside.facts('event.session.')).filter(({ subject }) => subject.endsWith('.reaped'));
  expect(bySupervisor.map(({ event }) => event.data['sessionId']).sort()).toEqual(ids);
}
