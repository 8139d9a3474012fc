/** Who a pid is: boot id, pid and start time. A pid alone may be anybody's by now. */
import type { ProcessIdentity } from '@holdfast/domain-session';
import { readFileSync } from 'node:fs';

export interface ProcessStat {
  readonly pid: number;
  readonly command: string;
  /** One letter of proc(5); `Z` and `X` are dead. */
  readonly state: string;
  readonly parent: number;
  readonly processGroup: number;
  readonly session: number;
  /** Device number of the controlling terminal; 0 = none. */
  readonly tty: number;
  /** Clock ticks since boot. */
  readonly startTime: number;
}

let cachedBootId: string | undefined;

export function bootId(): string {
  cachedBootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return cachedBootId;
}

/** Parses /proc/PID/stat; the command may hold blanks and brackets, so fields count from the last ")". */
export function parseProcessStat(text: string): ProcessStat {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  const fields = text.slice(close + 2).split(' ');
  const field = (index: number) => Number(fields[index]);
  return {
    pid: Number(text.slice(0, open)),
    command: text.slice(open + 1, close),
    state: fields[0] ?? 'X',
    parent: field(1),
    processGroup: field(2),
    session: field(3),
    tty: field(4),
    startTime: field(19),
  };
}

/** The process's facts, or undefined when there is none of that pid. */
export function processStat(pid: number): ProcessStat | undefined {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}

export function processIdentity(pid: number): ProcessIdentity | undefined {
  const stat = processStat(pid);
  return stat && { bootId: bootId(), pid, startTime: stat.startTime };
}

/** `dead` only when that very process is gone: another boot, no such pid, another start time, or a zombie. */
export function livenessOf(identity: ProcessIdentity): 'alive' | 'dead' | 'unknown' {
  if (identity.bootId !== bootId()) return 'dead';
  try {
    const stat = processStat(identity.pid);
    if (!stat || stat.startTime !== identity.startTime) return 'dead';
    return stat.state === 'Z' || stat.state === 'X' ? 'dead' : 'alive';
  } catch {
    return 'unknown';
  }
}
