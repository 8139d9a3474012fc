/** Finds what exec(3) would fail on, before anything is forked: a missing program or directory is a typed error, never a fallback. */
import { ServiceError } from '@holdfast/kernel';
import { accessSync, constants, statSync, type Stats } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * The absolute path of the program that `command[0]` names, looked up like execvp(3): with a slash relative to `cwd`, else in the child's PATH.
 * @throws ServiceError `session.cwd-not-found`, `session.cwd-not-accessible`, `session.command-not-found`, `session.command-not-executable`
 */
export function resolveProgram(program: string, cwd: string, childPath: string): string {
  requireDirectory(cwd);
  if (program.includes('/')) {
    const path = resolve(cwd, program);
    const refusal = whyNotExecutable(path);
    if (refusal) throw refusal;
    return path;
  }
  let denied: ServiceError | undefined;
  for (const directory of childPath.split(':')) {
    const path = join(directory === '' ? cwd : resolve(cwd, directory), program);
    const refusal = whyNotExecutable(path);
    if (!refusal) return path;
    if (refusal.code === 'session.command-not-executable') denied ??= refusal;
  }
  throw denied ?? new ServiceError('session.command-not-found', `no program "${program}" in PATH`, { detail: { program } });
}

function requireDirectory(cwd: string): void {
  const stat = statOf(cwd);
  if (stat === 'missing') throw new ServiceError('session.cwd-not-found', `the directory ${cwd} does not exist`, { detail: { cwd } });
  if (stat !== 'denied' && !stat.isDirectory())
    throw new ServiceError('session.cwd-not-found', `${cwd} is no directory`, { detail: { cwd } });
  if (stat === 'denied' || !isAccessible(cwd, constants.X_OK)) {
    throw new ServiceError('session.cwd-not-accessible', `the directory ${cwd} cannot be entered`, { detail: { cwd } });
  }
}

function whyNotExecutable(path: string): ServiceError | undefined {
  const stat = statOf(path);
  if (stat === 'missing') return new ServiceError('session.command-not-found', `no program at ${path}`, { detail: { program: path } });
  if (stat !== 'denied' && stat.isFile() && isAccessible(path, constants.X_OK)) return undefined;
  return new ServiceError('session.command-not-executable', `${path} is no executable file`, { detail: { program: path } });
}

function statOf(path: string): Stats | 'missing' | 'denied' {
  try {
    return statSync(path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'denied' : 'missing';
  }
}

function isAccessible(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
