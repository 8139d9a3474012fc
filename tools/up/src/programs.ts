/** The programs of the system that we start: where they are, and what to say when one is missing. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Debian keeps nats-server in /usr/sbin, which is not in everybody's PATH. */
const EXTRA_DIRECTORIES = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** program → Debian package. */
const PACKAGES = { 'nats-server': 'nats-server', setpriv: 'util-linux', flock: 'util-linux' } as const;
export type Program = keyof typeof PACKAGES;

/** Thrown when a program is not installed; the message has the command that installs it. */
export class MissingProgram extends Error {}

/** The program's path. @throws MissingProgram */
export function findProgram(program: Program, searchPath: string | undefined): string {
  const directories = [...(searchPath ?? '').split(':').filter((directory) => directory !== ''), ...EXTRA_DIRECTORIES];
  const found = directories.map((directory) => join(directory, program)).find(isExecutable);
  if (found !== undefined) return found;
  throw new MissingProgram(
    `${program} is not installed. Install it with: sudo apt-get update && sudo apt-get install -y ${PACKAGES[program]}`,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
