/** The machine's processes at one look, parsed from /proc: values only. */
import type { ProcessStat } from '@holdfast/platform-session-store';
import { SESSION_MARK_VARIABLE } from '@holdfast/domain-session';

export interface ProcessInfo extends ProcessStat {
  /** Value of the mark variable in its environment; undefined without one, or when the environment is not ours to read. */
  readonly mark: string | undefined;
}

/** A process named so that a reused pid cannot be meant; start time in clock ticks since boot. */
export interface ProcessRef {
  readonly pid: number;
  readonly startTime: number;
}

export class ProcessSnapshot {
  private readonly byPid: ReadonlyMap<number, ProcessInfo>;
  private readonly children: ReadonlyMap<number, readonly ProcessInfo[]>;

  constructor(readonly processes: readonly ProcessInfo[]) {
    this.byPid = new Map(processes.map((process) => [process.pid, process]));
    this.children = groupBy(processes, (process) => process.parent);
  }

  get(pid: number): ProcessInfo | undefined {
    return this.byPid.get(pid);
  }

  /** That very process, or undefined when it is gone, whoever has its pid now. */
  find(ref: ProcessRef): ProcessInfo | undefined {
    const found = this.byPid.get(ref.pid);
    return found?.startTime === ref.startTime ? found : undefined;
  }

  childrenOf(pid: number): readonly ProcessInfo[] {
    return this.children.get(pid) ?? [];
  }
}

/** A zombie has run its last instruction: nothing to signal, nothing that survives. */
export function isLiving(process: ProcessStat): boolean {
  return process.state !== 'Z' && process.state !== 'X';
}

const MARK_PREFIX = Buffer.from(`${SESSION_MARK_VARIABLE}=`);

/** The mark in /proc/PID/environ: NUL-separated `NAME=value` entries, of which a whole one must match. */
export function markIn(environ: Buffer): string | undefined {
  for (let at = environ.indexOf(MARK_PREFIX); at >= 0; at = environ.indexOf(MARK_PREFIX, at + 1)) {
    if (at > 0 && environ[at - 1] !== 0) continue;
    const end = environ.indexOf(0, at);
    return environ.toString('latin1', at + MARK_PREFIX.length, end < 0 ? environ.length : end);
  }
  return undefined;
}

/** Whether /proc/PID/status shows SIGTERM (15) ignored, as interactive shells do. */
export function ignoresTerminate(status: string): boolean {
  const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return mask !== undefined && (BigInt(`0x${mask}`) & (1n << 14n)) !== 0n;
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => number): ReadonlyMap<number, readonly T[]> {
  const groups = new Map<number, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
