/** The audit log on disk: `<state>/audit.jsonl`, one entry a line, rotated by size. */
import { reaperAuditEntrySchema, type ReaperAuditEntry } from '@holdfast/contracts';
import { appendFile, mkdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Of one file; with the rotated ones the log is never larger than four of these. */
export const AUDIT_FILE_BYTES = 4 * 1024 * 1024;
const ROTATED_FILES = 3;

export class AuditFile {
  private readonly path: string;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly stateDir: string,
    private readonly maxFileBytes = AUDIT_FILE_BYTES,
  ) {
    this.path = join(stateDir, 'audit.jsonl');
  }

  /** In order; one write a line, so two reapers never mix theirs. */
  append(entry: ReaperAuditEntry): Promise<void> {
    const next = this.last.then(() => this.write(`${JSON.stringify(entry)}\n`));
    this.last = next.catch(() => undefined);
    return next;
  }

  /** The newest entries, newest first. A line cut short by a crash is left out. */
  async newest(limit: number): Promise<ReaperAuditEntry[]> {
    const entries: ReaperAuditEntry[] = [];
    for (let file = 0; file <= ROTATED_FILES && entries.length < limit; file += 1) {
      entries.push(...(await entriesOf(this.name(file))).reverse());
    }
    return entries.slice(0, limit);
  }

  private async write(line: string): Promise<void> {
    await mkdir(this.stateDir, { recursive: true, mode: 0o700 });
    const { size } = await stat(this.path).catch(() => ({ size: 0 }));
    if (size > 0 && size + line.length > this.maxFileBytes) await this.rotate();
    await appendFile(this.path, line, { mode: 0o600 });
  }

  private async rotate(): Promise<void> {
    for (let file = ROTATED_FILES; file > 0; file -= 1) {
      await rename(this.name(file - 1), this.name(file)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
    }
  }

  private name(file: number): string {
    return file === 0 ? this.path : `${this.path}.${file}`;
  }
}

async function entriesOf(path: string): Promise<ReaperAuditEntry[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').flatMap((line) => {
    const parsed = reaperAuditEntrySchema.safeParse(jsonOf(line));
    return parsed.success ? [parsed.data] : [];
  });
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
