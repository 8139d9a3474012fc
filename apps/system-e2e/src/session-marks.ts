/** Counts sessions by what the kernel shows of their processes, whatever any service says. */
import { readFileSync, readdirSync } from 'node:fs';

/** The distinct session marks among living processes whose environment also holds this entry (`NAME=value`). */
export function sessionMarksWith(entry: string): readonly string[] {
  const marks = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(environmentOf)
    .filter((environment) => environment.includes(entry))
    .flatMap((environment) => environment.filter((line) => line.startsWith('HOLDFAST_SESSION_MARK=')));
  return [...new Set(marks)];
}

/** Empty for what is gone, and for a zombie. */
function environmentOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}
