/** Append-only files: opened for their owner only, and for records, whole or not at all. */
import { close, constants, ftruncate, open, write } from 'node:fs';
import { promisify } from 'node:util';

const openAsync = promisify(open);
const closeAsync = promisify(close);
const writeAsync = promisify(write);
const truncateAsync = promisify(ftruncate);

/** A descriptor that appends. It is close-on-exec, as all of Node's. */
export function openForAppend(path: string): Promise<number> {
  return openAsync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o600);
}

export function closeDescriptor(fd: number): Promise<void> {
  return closeAsync(fd);
}

/** A file of records. A record that the disk cut short is taken back, so that the next one starts where a reader looks for it. */
export class RecordFile {
  private goodBytes = 0;

  private constructor(private readonly fd: number) {}

  static async create(path: string): Promise<RecordFile> {
    return new RecordFile(await openForAppend(path));
  }

  /** @throws the system error; nothing of `bytes` is in the file then. */
  async append(bytes: Buffer): Promise<void> {
    try {
      for (let at = 0; at < bytes.length;) at += (await writeAsync(this.fd, bytes, at)).bytesWritten;
      this.goodBytes += bytes.length;
    } catch (error) {
      await truncateAsync(this.fd, this.goodBytes).catch(() => undefined);
      throw error;
    }
  }

  close(): Promise<void> {
    return closeAsync(this.fd);
  }
}
