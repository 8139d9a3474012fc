/** Notices what a suite leaves behind: child processes, listening sockets, open handles. */
import { childPidsOf, listeningSocketCount } from './process-table.js';
import { waitFor } from './wait-for.js';

export interface LeakWatch {
  /**
   * Rejects when, within the deadline (default 5 s: closing takes a moment), children or listening sockets are still
   * more than at the start of the watch, or handles of a kind that keeps a process alive.
   */
  expectNone(withinMs?: number): Promise<void>;
}

/** Kinds of `process.getActiveResourcesInfo()` that a test runner does not open and close by itself all the time. */
const WATCHED_HANDLES: ReadonlySet<string> = new Set(['TCPServerWrap', 'PipeWrap', 'TCPSocketWrap', 'ProcessWrap', 'FSEventWrap']);

/** Call it before the suite opens anything. */
export function watchForLeaks(): LeakWatch {
  const before = look();
  return {
    async expectNone(withinMs = 5_000) {
      await waitFor(() => leaksSince(before).length === 0, { what: 'nothing left behind', withinMs }).catch(() => {
        throw new Error(`left behind: ${leaksSince(before).join(', ')}`);
      });
    },
  };
}

interface Holdings {
  readonly children: readonly number[];
  readonly listeners: number;
  readonly handles: ReadonlyMap<string, number>;
}

function look(): Holdings {
  const handles = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    if (WATCHED_HANDLES.has(kind)) handles.set(kind, (handles.get(kind) ?? 0) + 1);
  }
  return { children: childPidsOf(process.pid), listeners: listeningSocketCount(process.pid), handles };
}

function leaksSince(before: Holdings): string[] {
  const now = look();
  const leaks = now.children.filter((pid) => !before.children.includes(pid)).map((pid) => `child process ${pid}`);
  if (now.listeners > before.listeners) leaks.push(`${now.listeners - before.listeners} listening sockets`);
  for (const [kind, count] of now.handles) {
    const more = count - (before.handles.get(kind) ?? 0);
    if (more > 0) leaks.push(`${more} ${kind}`);
  }
  return leaks;
}
