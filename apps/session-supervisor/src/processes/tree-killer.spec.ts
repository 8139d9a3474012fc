/** Volleys against a process table that behaves badly. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Clock } from '../host/clock.js';
import { ProcessSnapshot, type ProcessInfo, type ProcessRef } from './process-snapshot.js';
import type { ProcessTable, SignalName } from './process-table.port.js';
import { KILL_WAIT_MS, TreeKiller } from './tree-killer.js';

const ROOTS = { mark: 'm'.repeat(32), known: [] };

class FakeClock implements Clock {
  nowMs = 0;
  monotonicMs = (): number => this.nowMs;
  bootMs = (): number => this.nowMs;
  wallTime = (): string => '2026-01-01T00:00:00.000Z';
  async pause(ms: number): Promise<void> {
    this.nowMs += ms;
  }
}

/** `react` decides what a signal does to a process: `dies`, or nothing. */
class FakeTable implements ProcessTable {
  readonly ownPid = 2;
  readonly sent: string[] = [];
  shells: readonly number[] = [];
  react: (pid: number, signal: SignalName) => 'dies' | 'lives' = () => 'dies';
  processes: ProcessInfo[] = [];

  snapshot = async (): Promise<ProcessSnapshot> => new ProcessSnapshot([...this.processes]);
  ignoresTerminate = ({ pid }: ProcessRef): boolean => this.shells.includes(pid);
  servicePids = (): readonly number[] => [];
  signal({ pid }: ProcessRef, signal: SignalName): boolean {
    this.sent.push(`${signal} ${pid}`);
    if (this.react(pid, signal) === 'dies') this.processes = this.processes.filter((process) => process.pid !== pid);
    return true;
  }
  add(pid: number, facts: Partial<ProcessInfo> = {}): void {
    this.processes.push({
      pid,
      command: `p${pid}`,
      state: 'S',
      parent: 1,
      processGroup: pid,
      session: pid,
      tty: 0,
      startTime: pid,
      mark: ROOTS.mark,
      ...facts,
    });
  }
}

describe('TreeKiller', () => {
  let clock: FakeClock;
  let table: FakeTable;
  let killer: TreeKiller;
  beforeEach(() => {
    clock = new FakeClock();
    table = new FakeTable();
    killer = new TreeKiller(table, clock);
  });

  it('asks first, and does not wait out a grace that nobody needs', async () => {
    table.add(10);
    expect(await killer.kill(ROOTS, 10_000)).toEqual({ signalled: [{ pid: 10, command: 'p10', signals: ['SIGTERM'] }], survivors: [] });
    expect(clock.nowMs).toBeLessThan(1_000);
  });

  it('kills what ignored SIGTERM once the grace is over', async () => {
    table.add(10);
    table.react = (_pid, signal) => (signal === 'SIGKILL' ? 'dies' : 'lives');
    expect(await killer.kill(ROOTS, 3_000)).toEqual({
      signalled: [{ pid: 10, command: 'p10', signals: ['SIGTERM', 'SIGKILL'] }],
      survivors: [],
    });
    expect(table.sent.filter((sent) => sent === 'SIGTERM 10')).toHaveLength(1);
  });

  it('hangs up on interactive shells and continues stopped processes', async () => {
    table.add(10);
    table.add(11, { state: 'T' });
    table.shells = [10];
    table.react = () => 'lives';
    const { signalled } = await killer.kill(ROOTS, 100);
    expect(signalled.map(({ pid, signals }) => [pid, ...signals])).toEqual(
      expect.arrayContaining([
        [10, 'SIGTERM', 'SIGHUP', 'SIGKILL'],
        [11, 'SIGTERM', 'SIGCONT', 'SIGKILL'],
      ]),
    );
  });

  it('finds children that were born during the kill, also orphans with a wiped environment', async () => {
    table.add(10);
    let births = 0;
    table.react = (pid) => {
      if (births < 3) table.add(20 + births++, { mark: undefined, parent: pid, session: 10 });
      return births < 3 ? 'lives' : 'dies';
    };
    const { signalled, survivors } = await killer.kill(ROOTS, 1_000);
    expect(survivors).toEqual([]);
    expect(signalled.map((process) => process.pid).sort()).toEqual([10, 20, 21, 22]);
  });

  it('reports what survives everything', async () => {
    table.add(10, { state: 'D' });
    table.react = () => 'lives';
    expect((await killer.kill(ROOTS, 0)).survivors).toEqual([{ pid: 10, command: 'p10' }]);
    expect(clock.nowMs).toBe(KILL_WAIT_MS);
  });
});
