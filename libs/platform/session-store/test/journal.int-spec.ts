/** Journals on a real disk: exact while written, within their quota, and on a full disk. */
import { createTempDirectory, waitFor } from '@holdfast/testing';
import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync, appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { JournalReader, JournalWriter, SEGMENT_BYTES } from '../src/index.js';

interface Written {
  readonly writer: JournalWriter;
  readonly recording: { stopped: boolean; offset: number }[];
}

async function openWriter(epochDir: string, quotaBytes = 64 << 20): Promise<Written> {
  const recording: Written['recording'] = [];
  const writer = await JournalWriter.create({
    epochDir,
    cols: 80,
    rows: 24,
    quotaBytes,
    now: () => Date.now(),
    onDurable: () => undefined,
    onRecording: (stopped, offset) => recording.push({ stopped, offset }),
  });
  return { writer, recording };
}

/** Bytes that tell their own offset. */
function pattern(offset: number, byteLength: number): Buffer {
  return Buffer.from(Array.from({ length: byteLength }, (_, index) => ((offset + index) * 31 + ((offset + index) >> 8)) & 0xff));
}

async function readAll(reader: JournalReader, from: number): Promise<{ bytes: Buffer; stop: object }> {
  const parts: Buffer[] = [];
  for (let offset = from; ;) {
    const read = await reader.read(offset, 100_000);
    if (read.kind !== 'bytes') return { bytes: Buffer.concat(parts), stop: read };
    parts.push(read.bytes);
    offset += read.bytes.length;
  }
}

describe('a journal', () => {
  it('reads back every byte across segments while it grows', async () => {
    await using temp = await createTempDirectory();
    const dir = join(temp.path, '1');
    const { writer } = await openWriter(dir);
    const reader = JournalReader.open(dir);
    const total = SEGMENT_BYTES + 300_000;
    for (let offset = 0; offset < total; offset += 100_000)
      writer.append(pattern(offset, Math.min(100_000, total - offset)), () => undefined);
    await writer.flushed();
    const { bytes, stop } = await readAll(reader, 0);
    await writer.close();
    expect([bytes.equals(pattern(0, total)), stop, readdirSync(dir).filter((name) => name.endsWith('.out')).length]).toEqual([
      true,
      { kind: 'end', endOffset: total },
      2,
    ]);
  });

  it('stays within its quota by whole segments and says what was pruned', async () => {
    await using temp = await createTempDirectory();
    const dir = join(temp.path, '1');
    const { writer } = await openWriter(dir, 2 * SEGMENT_BYTES);
    for (let offset = 0; offset < 4 * SEGMENT_BYTES; offset += 1 << 20) writer.append(Buffer.alloc(1 << 20, 7), () => undefined);
    await writer.flushed();
    await writer.close();
    const reader = JournalReader.open(dir);
    const earliest = reader.earliestOffset();
    expect([await reader.read(0, 10), reader.endOffset(), reader.endOffset() - earliest <= 3 * SEGMENT_BYTES]).toEqual([
      { kind: 'pruned', earliestOffset: earliest },
      4 * SEGMENT_BYTES,
      true,
    ]);
  });

  it('serves what a killed writer left, a torn event record included', async () => {
    await using temp = await createTempDirectory();
    const dir = join(temp.path, '1');
    const { writer } = await openWriter(dir);
    writer.append(Buffer.from('hello'), () => undefined);
    await writer.flushed();
    await writer.close();
    appendFileSync(join(dir, 'events'), Buffer.alloc(13, 9));
    const reader = JournalReader.open(dir);
    expect([(await readAll(reader, 1)).bytes.toString(), reader.sizes()]).toEqual(['ello', [{ offset: 0, cols: 80, rows: 24 }]]);
  });

  it('stops recording on a full disk with a gap, and goes on when there is room', async () => {
    await using temp = await createTempDirectory();
    const disk = join(temp.path, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk]);
    try {
      const ballast = join(disk, 'ballast');
      writeFileSync(ballast, Buffer.alloc(1 << 20));
      const dir = join(disk, '1');
      const { writer, recording } = await openWriter(dir);
      let offset = 0;
      const append = (byteLength: number) => {
        writer.append(pattern(offset, byteLength), () => undefined);
        offset += byteLength;
      };
      for (let index = 0; index < 70; index += 1) append(100_000);
      await waitFor(() => writer.isStopped, { what: 'recording stops' });
      rmSync(ballast);
      const resumedFrom = await waitFor(
        () => {
          append(1000);
          return recording.find((change) => !change.stopped)?.offset;
        },
        { what: 'recording goes on' },
      );
      await writer.close();
      const reader = JournalReader.open(dir);
      const before = await readAll(reader, 0);
      const gap = before.stop as { kind: string; from: number; to: number };
      const after = await readAll(reader, gap.to);
      expect({
        first: recording[0],
        before: before.bytes.equals(pattern(0, gap.from)),
        gap: gap.kind,
        after: after.bytes.equals(pattern(gap.to, after.bytes.length)),
        resumed: resumedFrom > gap.from,
        indexed: reader.events().some((event) => event.type === 'gap' && event.offset === gap.from && event.to === gap.to),
      }).toEqual({ first: { stopped: true, offset: gap.from }, before: true, gap: 'gap', after: true, resumed: true, indexed: true });
    } finally {
      execFileSync('umount', [disk]);
    }
  });
});
