/** Directories that look like a disk's and are the kernel's: nothing can be kept there, and making one can loop for ever. */
import { ServiceError } from '@holdfast/kernel';
import { realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const KERNEL_DIRECTORIES = ['/proc', '/sys', '/dev'];
/** An ordinary memory file system: sockets may well be there. */
const ORDINARY_DIRECTORY = '/dev/shm';

/**
 * To be called before anything is created: Node's recursive mkdir below /proc never returns.
 * @throws ServiceError `config.invalid` when `path`, or what its links lead to, is in a file system of the kernel's.
 */
export function refuseKernelDirectory(variable: string, path: string): void {
  for (const candidate of [path, resolveLinks(path)]) {
    const kernels = KERNEL_DIRECTORIES.find((directory) => isWithin(candidate, directory));
    if (kernels === undefined || isWithin(candidate, ORDINARY_DIRECTORY)) continue;
    throw new ServiceError('config.invalid', `${variable} ${path}: ${kernels} is the kernel's; name a directory on a disk`);
  }
}

/** The real path of what exists of `path`, and the rest as it is. */
function resolveLinks(path: string): string {
  for (let existing = path; ; existing = dirname(existing)) {
    try {
      return join(realpathSync(existing), relative(existing, path));
    } catch (error) {
      if (existing === dirname(existing)) throw error;
    }
  }
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}
