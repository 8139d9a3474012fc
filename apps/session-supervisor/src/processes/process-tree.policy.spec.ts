/** Which processes belong to a session. */
import { describe, expect, it } from '@jest/globals';
import { ProcessSnapshot, type ProcessInfo } from './process-snapshot.js';
import { protectedPids, selectTree, type TreeRoots } from './process-tree.policy.js';

const MARK = 'a'.repeat(32);
const LEADER = { pid: 100, startTime: 1000 };
const ROOTS: TreeRoots = { mark: MARK, leader: LEADER, known: [] };

function aProcess(pid: number, facts: Partial<ProcessInfo> = {}): ProcessInfo {
  return {
    pid,
    command: `p${pid}`,
    state: 'S',
    parent: 1,
    processGroup: pid,
    session: pid,
    tty: 0,
    startTime: pid * 10,
    mark: undefined,
    ...facts,
  };
}

function treeOf(processes: readonly ProcessInfo[], roots: TreeRoots = ROOTS, self = 50, services: readonly number[] = []): number[] {
  const snapshot = new ProcessSnapshot(processes);
  return selectTree(snapshot, roots, protectedPids(snapshot, self, services))
    .map((process) => process.pid)
    .sort((a, b) => a - b);
}

const INIT = aProcess(1, { parent: 0 });
const SELF = aProcess(50, { parent: 40 });
const SHELL = aProcess(40, { parent: 1 });
const OTHERS = [INIT, SHELL, SELF];

describe('selectTree', () => {
  it('takes descendants, whatever session they made for themselves', () => {
    const tree = [aProcess(100), aProcess(101, { parent: 100, session: 100 }), aProcess(102, { parent: 101, session: 102 })];
    expect(treeOf([...OTHERS, ...tree, aProcess(200)])).toEqual([100, 101, 102]);
  });

  it('takes orphans by the exact mark, and everything in their POSIX sessions', () => {
    const orphan = aProcess(300, { mark: MARK });
    const wiped = aProcess(301, { session: 300 });
    const stranger = aProcess(302, { mark: `${MARK}0` });
    expect(treeOf([...OTHERS, orphan, wiped, stranger])).toEqual([300, 301]);
  });

  it('never takes a process that has a pid of the tree and another start time', () => {
    const reused = aProcess(100, { startTime: 999_999 });
    const itsChild = aProcess(101, { parent: 100, session: 100 });
    expect(treeOf([...OTHERS, reused, itsChild])).toEqual([]);
    expect(treeOf([...OTHERS, reused, itsChild], { ...ROOTS, recentSessions: [100] })).toEqual([]);
    expect(treeOf([...OTHERS, aProcess(77)], { ...ROOTS, known: [{ pid: 77, startTime: 1 }] })).toEqual([]);
  });

  it('finds members that wiped their environment right after the leader ended', () => {
    const wiped = aProcess(101, { session: 100 });
    expect(treeOf([...OTHERS, wiped])).toEqual([]);
    expect(treeOf([...OTHERS, wiped], { ...ROOTS, recentSessions: [100] })).toEqual([101]);
  });

  it('gives parents before children', () => {
    const snapshot = new ProcessSnapshot([
      aProcess(99, { parent: 100, startTime: 1001 }),
      aProcess(100),
      aProcess(101, { parent: 100, startTime: 1000 }),
    ]);
    expect(selectTree(snapshot, ROOTS, new Set()).map((process) => process.pid)).toEqual([100, 101, 99]);
  });

  it('leaves out zombies, but not what lives in their session', () => {
    const zombie = aProcess(100, { state: 'Z' });
    expect(treeOf([...OTHERS, zombie, aProcess(101, { session: 100 })])).toEqual([101]);
  });

  it('never takes ourselves, our ancestors, services, or what only they lead to', () => {
    const inside = [
      aProcess(100),
      aProcess(110, { parent: 100, session: 100, mark: MARK }),
      aProcess(120, { parent: 110, session: 100, mark: MARK }),
      aProcess(130, { parent: 120, session: 130, mark: MARK }),
      aProcess(131, { parent: 130, session: 130 }),
    ];
    expect(treeOf([INIT, ...inside], ROOTS, 120, [130])).toEqual([]);
  });

  it('does not take session 0 for a session: it stands for one outside our pid namespace', () => {
    expect(treeOf([...OTHERS, aProcess(100, { session: 0 }), aProcess(201, { session: 0 })])).toEqual([100]);
  });
});
