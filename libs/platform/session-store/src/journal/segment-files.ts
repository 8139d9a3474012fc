/** The segments of a journal: raw bytes in files named by offset, a time file beside each, the oldest removed over the quota. */
import { writev } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SEGMENT_BYTES, encodeTime, segmentFile, timesFile } from './journal-format.js';
import { RecordFile, closeDescriptor, openForAppend } from './record-file.js';

const writevAsync = promisify(writev);

/** Time marks closer together than this are one; bounds the time file to a sliver of the output. */
const TIME_GRAIN_MS = 10;

interface Segment {
  readonly offset: number;
  bytes: number;
}

export class SegmentFiles {
  private readonly segments: Segment[] = [];
  private fd = -1;
  private times: RecordFile | undefined;
  private lastTimeMs = -Infinity;

  constructor(
    private readonly epochDir: string,
    private readonly quotaBytes: number,
  ) {}

  /** Start of the segment written to now. */
  get currentStart(): number {
    return this.segments.at(-1)?.offset ?? 0;
  }

  /** Writes once at `offset`, which is where the last write ended or behind a gap; gives the bytes written. @throws the system error. */
  async write(offset: number, buffers: readonly Buffer[]): Promise<number> {
    const segment = await this.segmentFor(offset);
    const { bytesWritten } = await writevAsync(this.fd, buffers);
    segment.bytes += bytesWritten;
    return bytesWritten;
  }

  /** Notes when the output reached `offset`. A disk that refuses loses the mark, nothing else. */
  async mark(offset: number, atMs: number): Promise<void> {
    if (atMs >= this.lastTimeMs && atMs - this.lastTimeMs < TIME_GRAIN_MS) return;
    this.lastTimeMs = atMs;
    await this.times?.append(encodeTime(offset, atMs)).catch(() => undefined);
  }

  /** Removes the oldest segments while more than the quota is on disk; the current one stays. */
  async prune(): Promise<void> {
    let total = this.segments.reduce((sum, segment) => sum + segment.bytes, 0);
    while (total > this.quotaBytes && this.segments.length > 1) {
      const oldest = this.segments.shift() as Segment;
      total -= oldest.bytes;
      await unlink(join(this.epochDir, segmentFile(oldest.offset))).catch(() => undefined);
      await unlink(join(this.epochDir, timesFile(oldest.offset))).catch(() => undefined);
    }
  }

  /** Closes the current segment; the next write opens one at its own offset. */
  async close(): Promise<void> {
    const { fd, times } = this;
    this.fd = -1;
    this.times = undefined;
    if (fd >= 0) await closeDescriptor(fd);
    await times?.close();
  }

  private async segmentFor(offset: number): Promise<Segment> {
    const current = this.segments.at(-1);
    if (this.fd >= 0 && current && current.bytes < SEGMENT_BYTES) return current;
    await this.close();
    this.fd = await openForAppend(join(this.epochDir, segmentFile(offset)));
    this.times = await RecordFile.create(join(this.epochDir, timesFile(offset)));
    this.lastTimeMs = -Infinity;
    if (current?.offset === offset) return current;
    const segment = { offset, bytes: 0 };
    this.segments.push(segment);
    return segment;
  }
}
