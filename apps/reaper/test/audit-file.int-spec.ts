/** The audit log on a real disk: order, rotation, lines cut short. */
import { describe, expect, it } from '@jest/globals';
import type { ReaperAuditEntry } from '@holdfast/contracts';
import { createTempDirectory } from '@holdfast/testing';
import { appendFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AuditFile } from '../src/audit/audit-file.adapter.js';

function entry(sessionId: string): ReaperAuditEntry {
  return {
    at: '2030-01-01T00:00:00.000Z',
    outcome: 'reaped',
    verdict: { hostId: 'h', sessionId, epoch: 1, do: 'reap', why: 'ttl-ran-out', evidence: { ageMs: 5 } },
  };
}

describe('AuditFile', () => {
  it('gives the newest first, whole, and leaves out a line cut short', async () => {
    await using directory = await createTempDirectory();
    const state = join(directory.path, 'state');
    const audit = new AuditFile(state);
    expect(await audit.newest(10)).toEqual([]);
    await Promise.all(['a', 'b', 'c'].map((id) => audit.append(entry(id))));
    await appendFile(join(state, 'audit.jsonl'), '{"at":"2030');
    expect([await audit.newest(10), (await audit.newest(1)).length]).toEqual([[entry('c'), entry('b'), entry('a')], 1]);
    expect((await stat(join(state, 'audit.jsonl'))).mode & 0o777).toBe(0o600);
  });

  it('stays within four files and keeps the newest entries', async () => {
    await using directory = await createTempDirectory();
    const audit = new AuditFile(directory.path, 400);
    for (let n = 0; n < 40; n += 1) await audit.append(entry(`s${n}`));
    expect((await readdir(directory.path)).sort()).toEqual(['audit.jsonl', 'audit.jsonl.1', 'audit.jsonl.2', 'audit.jsonl.3']);
    expect((await audit.newest(3)).map(({ verdict }) => verdict.sessionId)).toEqual(['s39', 's38', 's37']);
  });
});
