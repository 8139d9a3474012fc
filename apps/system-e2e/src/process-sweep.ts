/** Finds and ends what a test's instance left running: holders live on by design, a test must not let them. */
import { waitFor } from '@holdfast/testing';
import { readFileSync, readdirSync } from 'node:fs';

/** Pids of processes that name `path` in their arguments or environment, and of all their descendants. */
export function processesOf(path: string): number[] {
  const table = processTable();
  const found = new Set(table.filter(({ pid }) => mentions(pid, path)).map(({ pid }) => pid));
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const { pid, parent } of table) if (found.has(parent)) found.add(pid);
  }
  found.delete(process.pid);
  return [...found];
}

/** Kills them all; resolves when none is left. */
export async function sweep(path: string): Promise<void> {
  // Children first known by their holder must be remembered: once it is gone, nothing leads to them.
  const pids = processesOf(path);
  for (const pid of pids) kill(pid);
  await waitFor(() => [...processesOf(path), ...pids.filter(isAlive)].length === 0, { what: `no process of ${path} left` });
}

interface Row {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
}

function processTable(): Row[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => rowOf(Number(name)) ?? []);
}

/** Fields 3 and 4 of /proc/PID/stat come after the command's closing bracket. Undefined for what is gone or only waits to be reaped. */
function rowOf(pid: number): Row | undefined {
  const stat = read(`/proc/${pid}/stat`);
  const [state = '', parent = '0'] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return stat === '' || state === 'Z' ? undefined : { pid, parent: Number(parent), state };
}

function isAlive(pid: number): boolean {
  return rowOf(pid) !== undefined;
}

function mentions(pid: number, path: string): boolean {
  return read(`/proc/${pid}/cmdline`).includes(path) || read(`/proc/${pid}/environ`).includes(path);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
