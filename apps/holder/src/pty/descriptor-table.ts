/** Keeps descriptors out of children: the binding leaks every PTY master above the first hole in the table. */
import { closeSync, openSync, readFileSync, readdirSync } from 'node:fs';

const O_CLOEXEC = 0o2000000;

/**
 * Runs `fork` while the descriptor table has no hole. The binding's prebuilt marks descriptors close-on-exec one by one and
 * stops at the first closed one, so with a hole later children inherit the masters of other sessions.
 */
export function withoutDescriptorHoles<T>(fork: () => T): T {
  const fillers: number[] = [];
  try {
    const top = highestDescriptor();
    for (let fd = -1; fd < top - 1;) {
      fd = openSync('/dev/null', 'r');
      fillers.push(fd);
    }
    return fork();
  } finally {
    for (const fd of fillers) closeSync(fd);
  }
}

/** Closes what our starter left open without close-on-exec, apart from standard streams: it would reach every child. */
export function closeInheritedDescriptors(): void {
  for (const fd of openDescriptors()) {
    if (fd < 3) continue;
    const flags = /^flags:\s+(\d+)/m.exec(descriptorInfo(fd));
    if (flags && (Number.parseInt(flags[1] as string, 8) & O_CLOEXEC) === 0) closeQuietly(fd);
  }
}

function highestDescriptor(): number {
  return openDescriptors().reduce((top, fd) => Math.max(top, fd), 2);
}

function openDescriptors(): number[] {
  return readdirSync('/proc/self/fd').map(Number);
}

function descriptorInfo(fd: number): string {
  try {
    return readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8');
  } catch {
    return '';
  }
}

function closeQuietly(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // closed in the meantime
  }
}
