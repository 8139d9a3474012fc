/** The process table of Linux, read from /proc. */
import { parseProcessStat, processStat, readJson, readText } from '@holdfast/platform-session-store';
import { readFileSync, readdirSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { ProcessSnapshot, ignoresTerminate, markIn, type ProcessInfo, type ProcessRef } from './process-snapshot.js';
import type { ProcessTable, SignalName } from './process-table.port.js';

/** Processes read between two turns of the event loop: about 1 ms. */
const PROCESSES_PER_TURN = 24;
/** kthreadd; its children have no environment and cannot be signalled. */
const KERNEL_THREADS_PARENT = 2;
const upStateSchema = z.object({ services: z.array(z.object({ pid: z.int() })) });

export class ProcProcessTable implements ProcessTable {
  readonly ownPid = process.pid;

  constructor(
    /** Written by `up`: which services run. May be missing. */
    private readonly upStateFile: string,
    private readonly holderPids: () => readonly number[],
  ) {}

  async snapshot(): Promise<ProcessSnapshot> {
    const processes: ProcessInfo[] = [];
    let read = 0;
    for (const name of readdirSync('/proc')) {
      const pid = Number(name);
      if (!Number.isInteger(pid)) continue;
      const found = readProcess(pid);
      if (found) processes.push(found);
      if (++read % PROCESSES_PER_TURN === 0) await nextTurn();
    }
    return new ProcessSnapshot(processes);
  }

  signal(target: ProcessRef, signal: SignalName): boolean {
    if (target.pid <= 1 || processStat(target.pid)?.startTime !== target.startTime) return false;
    try {
      process.kill(target.pid, signal);
      return true;
    } catch {
      return false;
    }
  }

  ignoresTerminate(target: ProcessRef): boolean {
    try {
      return ignoresTerminate(readText(`/proc/${target.pid}/status`) ?? '');
    } catch {
      return false;
    }
  }

  servicePids(): readonly number[] {
    return [...this.holderPids(), ...this.listedServices()];
  }

  private listedServices(): readonly number[] {
    try {
      const parsed = upStateSchema.safeParse(readJson(this.upStateFile));
      return parsed.success ? parsed.data.services.map((service) => service.pid) : [];
    } catch {
      return [];
    }
  }
}

/** A session's leader in its own words; undefined when it is gone, another by now, or carries no mark. */
export function describeLeader(leader: ProcessRef): { readonly command: readonly string[]; readonly mark: string } | undefined {
  const mark = readMark(leader.pid);
  const command = (readText(`/proc/${leader.pid}/cmdline`) ?? '').split('\0').slice(0, -1);
  if (mark === undefined || command.length === 0 || processStat(leader.pid)?.startTime !== leader.startTime) return undefined;
  return { command, mark };
}

/** Undefined when it ended in between: processes do at any time. */
function readProcess(pid: number): ProcessInfo | undefined {
  try {
    const stat = parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return { ...stat, mark: stat.parent === KERNEL_THREADS_PARENT ? undefined : readMark(pid) };
  } catch {
    return undefined;
  }
}

function readMark(pid: number): string | undefined {
  try {
    return markIn(readFileSync(`/proc/${pid}/environ`));
  } catch {
    return undefined;
  }
}
