/** A directory for one test, gone after it. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TempDirectory extends AsyncDisposable {
  readonly path: string;
}

/** The path is short, so that sockets below it stay within the 107 bytes a socket path may have. Mode 0700. */
export async function createTempDirectory(): Promise<TempDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'hf-'));
  await chmod(path, 0o700);
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }),
  };
}
