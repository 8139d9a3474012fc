/** Holder records on disk: what each holder was started with and is known by. */
import { type StateLayout, readJson, replaceFile } from '@holdfast/platform-session-store';
import { ID_PATTERN } from '@holdfast/kernel';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { z } from 'zod';

const holderRecordSchema = z.object({
  holderId: z.string().regex(ID_PATTERN),
  /** Known to starter and holder only. */
  nonce: z.string().min(16),
  stateDir: z.string(),
  runtimeDir: z.string(),
  capacity: z.int().min(1),
  build: z.string(),
  /** Added right after the spawn. */
  identity: z.object({ bootId: z.string(), pid: z.int(), startTime: z.int() }).optional(),
});
export type HolderRecord = z.infer<typeof holderRecordSchema>;

export class HolderRecordRepository {
  constructor(private readonly layout: StateLayout) {}

  /** A record that cannot be read is moved aside, so that it is looked at once and hides no other. */
  loadAll(): { readonly records: readonly HolderRecord[]; readonly corrupt: readonly string[] } {
    mkdirSync(this.layout.holderDir, { recursive: true, mode: 0o700 });
    const records: HolderRecord[] = [];
    const corrupt: string[] = [];
    for (const name of readdirSync(this.layout.holderDir)) {
      const id = basename(name, '.json');
      if (!name.endsWith('.json') || !ID_PATTERN.test(id)) continue;
      const record = this.read(id);
      if (record) records.push(record);
      else corrupt.push(id);
    }
    corrupt.forEach((id) => renameSync(this.pathOf(id), `${this.pathOf(id)}.corrupt`));
    return { records, corrupt };
  }

  /** Mode 0600: it holds the nonce. Not waited for by the disk: a machine that dies takes the holder with it. */
  save(record: HolderRecord): void {
    replaceFile(this.pathOf(record.holderId), JSON.stringify(record));
  }

  remove(holderId: string): void {
    rmSync(this.pathOf(holderId), { force: true });
    rmSync(this.layout.holderLogFile(holderId), { force: true });
  }

  pathOf(holderId: string): string {
    return this.layout.holderRecordFile(holderId);
  }

  private read(holderId: string): HolderRecord | undefined {
    try {
      const parsed = holderRecordSchema.safeParse(readJson(this.pathOf(holderId)));
      return parsed.success && parsed.data.holderId === holderId ? parsed.data : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Pid of the process whose command line has `path` as an argument, when a crash came between its spawn and its record. */
export function pidStartedWith(path: string): number | undefined {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      if (readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').includes(path)) return Number(name);
    } catch {
      continue;
    }
  }
  return undefined;
}
