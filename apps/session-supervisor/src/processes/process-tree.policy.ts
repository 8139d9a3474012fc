/** Decides which processes belong to a session: everything of its tree, and nothing else. */
import { isLiving, type ProcessInfo, type ProcessRef, type ProcessSnapshot } from './process-snapshot.js';

export interface TreeRoots {
  /** Random per epoch; only the session's own processes carry it. */
  readonly mark: string;
  /** The process the session began with; its pid is the tree's first POSIX session id. */
  readonly leader?: ProcessRef;
  /** Members found by earlier looks. */
  readonly known: readonly ProcessRef[];
  /**
   * POSIX session ids the tree had a moment ago, so that they cannot be anybody else's yet: orphans that wiped their
   * environment are found by them.
   */
  readonly recentSessions?: readonly number[];
}

/** Ourselves, our ancestors, init, and `services` (holders and the like): never part of a tree, never signalled. */
export function protectedPids(snapshot: ProcessSnapshot, self: number, services: readonly number[]): ReadonlySet<number> {
  const pids = new Set<number>([0, 1, ...services]);
  for (let at = snapshot.get(self); at && !pids.has(at.pid); at = snapshot.get(at.parent)) pids.add(at.pid);
  return pids;
}

/**
 * Living members of the tree, oldest first: a shell whose child is ended before it goes on to its next command. A member's descendants belong to it, and everything in its POSIX session: a session id is
 * handed down by fork and taken by setsid(2) only, so every process with it descends from the tree. Process groups and
 * the controlling terminal lie inside one POSIX session and are covered by it.
 */
export function selectTree(snapshot: ProcessSnapshot, roots: TreeRoots, guarded: ReadonlySet<number>): ProcessInfo[] {
  const bySession = sessionsOf(snapshot, guarded);
  const members = new Map<number, ProcessInfo>();
  const queue = snapshot.processes.filter((process) => isRoot(process, roots) || isOrphan(process, snapshot, roots, bySession));
  for (let process = queue.pop(); process; process = queue.pop()) {
    if (members.has(process.pid) || guarded.has(process.pid)) continue;
    members.set(process.pid, process);
    queue.push(...snapshot.childrenOf(process.pid), ...(bySession.get(process.session) ?? []));
  }
  return [...members.values()].filter(isLiving).sort((a, b) => a.startTime - b.startTime || a.pid - b.pid);
}

function isRoot(process: ProcessInfo, roots: TreeRoots): boolean {
  if (process.mark === roots.mark) return true;
  if (roots.known.some((ref) => isSame(process, ref))) return true;
  return roots.leader !== undefined && isSame(process, roots.leader);
}

/** In a session of the tree's, while no stranger has the pid that the session is named after. */
function isOrphan(process: ProcessInfo, snapshot: ProcessSnapshot, roots: TreeRoots, sessions: ReadonlyMap<number, unknown>): boolean {
  if (roots.recentSessions?.includes(process.session) !== true || !sessions.has(process.session)) return false;
  const owner = snapshot.get(process.session);
  return owner === undefined || [roots.leader, ...roots.known].some((ref) => ref !== undefined && isSame(owner, ref));
}

function isSame(process: ProcessInfo, ref: ProcessRef): boolean {
  return process.pid === ref.pid && process.startTime === ref.startTime;
}

/** Processes by POSIX session id, without sessions that hold a guarded process; 0 stands for one outside our pid namespace. */
function sessionsOf(snapshot: ProcessSnapshot, guarded: ReadonlySet<number>): ReadonlyMap<number, readonly ProcessInfo[]> {
  const closed = new Set<number>([0]);
  for (const pid of guarded) closed.add(snapshot.get(pid)?.session ?? 0);
  const sessions = new Map<number, ProcessInfo[]>();
  for (const process of snapshot.processes) {
    if (closed.has(process.session)) continue;
    const members = sessions.get(process.session);
    if (members) members.push(process);
    else sessions.set(process.session, [process]);
  }
  return sessions;
}
