/** Waits for a unix socket to appear, so that a restarted supervisor is met at once and not at the end of a pause. */
import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';

/**
 * Resolves after `ms`, or as soon as something happens to the entry `path` in its directory, or on abort. Never rejects:
 * where the directory is not there or cannot be watched, the pause alone counts.
 */
export function waitForSocket(path: string, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watchEntry(path, () => finish());
    const timer = setTimeout(() => finish(), ms);
    const finish = (): void => {
      clearTimeout(timer);
      watcher?.close();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    if (signal.aborted) finish();
    else signal.addEventListener('abort', finish);
  });
}

function watchEntry(path: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dirname(path), (_event, name) => {
      if (name === basename(path)) onChange();
    });
    return watcher.on('error', () => watcher.close());
  } catch {
    return undefined;
  }
}
