/** Files that are whole or not there: temp, fsync, rename. A full disk or a crash leaves the old content. */
import { ServiceError } from '@holdfast/kernel';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces `path` by `content` durably; blocks for two fsyncs. Readers see the old or the new content, never a part.
 * @throws ServiceError `storage.failed` (cause: the system error); the old content is then still there.
 */
export function writeFileAtomic(path: string, content: string | Uint8Array, mode = 0o600): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeDurably(temporary, typeof content === 'string' ? Buffer.from(content) : content, mode);
    renameSync(temporary, path);
    syncDirectory(dirname(path));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new ServiceError('storage.failed', `cannot write ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Replaces `path` by `content` without waiting for the disk: it survives the death of this process, not that of the machine. Right for
 * facts about processes, which a dead machine has none of; `syncPaths` makes it durable afterwards.
 * @throws ServiceError `storage.failed`; the old content is then still there.
 */
export function replaceFile(path: string, content: string, mode = 0o600): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, content, { mode });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new ServiceError('storage.failed', `cannot write ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Brings files or directories (the names in them) to the disk, side by side and off the event loop. @throws ServiceError `storage.failed`. */
export async function syncPaths(paths: readonly string[]): Promise<void> {
  try {
    await Promise.all(paths.map(syncPath));
  } catch (error) {
    throw new ServiceError('storage.failed', `cannot sync ${paths[0] ?? ''}: ${(error as Error).message}`, { cause: error });
  }
}

async function syncPath(path: string): Promise<void> {
  const file = await open(path, 'r');
  await file.sync().finally(() => file.close());
}

/**
 * Overwrites a short file where it lies, durably: needs no room on a full disk. A crash in the middle can leave a mix of old
 * and new, so only for content where that is still right, such as a growing number of the same or one more digit.
 * @throws ServiceError `storage.failed`.
 */
export function overwriteFile(path: string, content: string): void {
  try {
    const fd = openSync(path, 'r+');
    try {
      writeSync(fd, content, 0);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw new ServiceError('storage.failed', `cannot overwrite ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** As `writeFileAtomic`, without blocking the event loop. */
export async function writeFileAtomicAsync(path: string, content: string, mode = 0o600): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = await open(temporary, 'w', mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    const directory = await open(dirname(path), 'r');
    await directory.sync().finally(() => directory.close());
  } catch (error) {
    await rm(temporary, { force: true });
    throw new ServiceError('storage.failed', `cannot write ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** The parsed content, or undefined when the file is missing. @throws SyntaxError when it is no JSON. */
export function readJson(path: string): unknown {
  const text = readText(path);
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}

/** The file's text, or undefined when it is missing. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function writeDurably(path: string, bytes: Uint8Array, mode: number): void {
  const fd = openSync(path, 'w', mode);
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function syncDirectory(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
