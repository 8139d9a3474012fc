/** Makes sure the state directory is ours alone before anything is written into it. */
import { ServiceError } from '@holdfast/kernel';
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';

/** What a state directory has in it once any service of ours ran. */
const OUR_NAMES: readonly string[] = ['up.lock', 'supervisor.lock', 'host-id', 'sessions'];

/**
 * Creates it with mode 0700, or makes an existing one so.
 * @throws ServiceError `config.invalid` when it is somebody else's, or holds other things: its mode must not be changed then.
 */
export function prepareStateDirectory(path: string): void {
  try {
    if (mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined) return;
    const facts = statSync(path);
    if (facts.uid !== userInfo().uid) throw unusable(path, `belongs to user ${facts.uid}`);
    const names = readdirSync(path);
    if (names.length > 0 && !names.some((name) => OUR_NAMES.includes(name)))
      throw unusable(path, 'holds other files; name a directory that is new or empty');
    chmodSync(path, 0o700);
  } catch (error) {
    throw error instanceof ServiceError ? error : unusable(path, (error as Error).message);
  }
}

function unusable(path: string, why: string): ServiceError {
  return new ServiceError('config.invalid', `HOLDFAST_STATE_DIR ${path}: ${why} (example: HOLDFAST_STATE_DIR=/var/lib/holdfast/default)`);
}
