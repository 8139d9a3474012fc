/** Looks for processes on its own, with nothing of the code under test. */
import { readFileSync, readdirSync } from 'node:fs';

/** Pids of living processes whose environment or command line has `text` as a whole entry, or inside one when `inside`. */
export function pidsWith(text: string, inside = false): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      const entries = [...entriesOf(pid, 'environ'), ...entriesOf(pid, 'cmdline')];
      return isLiving(pid) && entries.some((entry) => (inside ? entry.includes(text) : entry === text));
    });
}

function isLiving(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

function entriesOf(pid: number, file: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1').split('\0');
  } catch {
    return [];
  }
}
