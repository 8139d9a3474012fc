/** One owner per state directory: a kernel lock that ends with its process, whatever ends it. */
import { ServiceError } from '@holdfast/kernel';
import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { processIdentity } from './process-identity.js';

export interface InstanceLock {
  release(): void;
}

/** flock(1) says so when another holds the lock. */
const FLOCK_HELD = 1;

/**
 * Takes `path` exclusively, at once or not at all. flock(2) locks belong to the open file description: flock(1), given our
 * descriptor, takes the lock and exits, and the lock stays with us until we close it or die. It also works between
 * containers that share the directory. The file names its holder, for people.
 * @throws ServiceError `instance.in-use` when another process holds it, `storage.failed` when it cannot be tried.
 */
export function acquireInstanceLock(path: string): InstanceLock {
  const fd = openSync(path, 'a+', 0o600);
  const result = spawnSync('flock', ['--nonblock', '--exclusive', '3'], { stdio: ['ignore', 'ignore', 'ignore', fd], timeout: 10_000 });
  if (result.status === 0) {
    nameHolder(fd);
    return { release: () => closeSync(fd) };
  }
  const holder = readFileSync(path, 'utf8').trim();
  closeSync(fd);
  if (result.status === FLOCK_HELD) throw new ServiceError('instance.in-use', `${path} is held by another process: ${holder || 'unknown'}`);
  throw new ServiceError('storage.failed', `cannot lock ${path}: flock ended with ${String(result.error?.message ?? result.status)}`);
}

/** For people only: the lock is held whether a full disk takes the name or not. */
function nameHolder(fd: number): void {
  try {
    ftruncateSync(fd, 0);
    writeSync(fd, `${JSON.stringify(processIdentity(process.pid))}\n`);
  } catch {
    // the lock counts
  }
}
