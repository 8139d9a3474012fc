/** Reads a session's output from disk by offset, also while its holder writes, also after the holder died. */
import type { Resize } from '@holdfast/domain-session';
import { open } from 'node:fs/promises';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EVENTS_FILE, decodeEvents, segmentFile, segmentOffset, type JournalEvent } from './journal-format.js';

export type JournalRead =
  /** From the offset asked for; at least one byte. */
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  /** Nothing there (yet): the offset is at the end, or beyond it. */
  | { readonly kind: 'end'; readonly endOffset: number }
  | { readonly kind: 'pruned'; readonly earliestOffset: number }
  /** Not recorded: output goes on at `to`. */
  | { readonly kind: 'gap'; readonly from: number; readonly to: number };

interface Segment {
  readonly start: number;
  readonly end: number;
}

/** Holds no descriptor between calls; a missing directory reads as an empty journal. */
export class JournalReader {
  private segments: Segment[] = [];

  private constructor(private readonly epochDir: string) {}

  static open(epochDir: string): JournalReader {
    const reader = new JournalReader(epochDir);
    reader.refresh();
    return reader;
  }

  /** Oldest offset on disk now. */
  earliestOffset(): number {
    this.refresh();
    return this.segments[0]?.start ?? 0;
  }

  /** Offset after the newest byte on disk now. */
  endOffset(): number {
    this.refresh();
    return this.segments.at(-1)?.end ?? 0;
  }

  /** Up to `maxBytes` from `offset`, cut at a segment's end. */
  async read(offset: number, maxBytes: number): Promise<JournalRead> {
    let segment = this.find(offset);
    if (!segment) {
      this.refresh();
      segment = this.find(offset);
    }
    if (!segment) return this.explain(offset);
    const bytes = await readAt(
      join(this.epochDir, segmentFile(segment.start)),
      offset - segment.start,
      Math.min(maxBytes, segment.end - offset),
    );
    if (bytes && bytes.length > 0) return { kind: 'bytes', bytes };
    this.refresh();
    return this.explain(offset);
  }

  /** Terminal sizes by offset: the size at the start, then each resize. Empty when nothing was recorded. */
  sizes(): Resize[] {
    return this.events().flatMap((event) =>
      event.type === 'start' || event.type === 'resize' ? [{ offset: event.offset, cols: event.cols, rows: event.rows }] : [],
    );
  }

  /** Everything but the bytes, in order; a torn tail is left out. */
  events(): JournalEvent[] {
    try {
      return decodeEvents(readFileSync(join(this.epochDir, EVENTS_FILE)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  private find(offset: number): Segment | undefined {
    return this.segments.find((segment) => offset >= segment.start && offset < segment.end);
  }

  private explain(offset: number): JournalRead {
    const first = this.segments[0];
    if (!first) return { kind: 'end', endOffset: 0 };
    if (offset < first.start) return { kind: 'pruned', earliestOffset: first.start };
    const next = this.segments.find((segment) => segment.start > offset);
    if (!next) return { kind: 'end', endOffset: this.segments.at(-1)?.end ?? 0 };
    const before = this.segments.findLast((segment) => segment.end <= offset);
    return { kind: 'gap', from: before?.end ?? offset, to: next.start };
  }

  private refresh(): void {
    this.segments = listDirectory(this.epochDir)
      .flatMap((name) => {
        const start = segmentOffset(name);
        const bytes = start === undefined ? undefined : fileBytes(join(this.epochDir, name));
        return start === undefined || bytes === undefined ? [] : [{ start, end: start + bytes }];
      })
      .sort((a, b) => a.start - b.start);
  }
}

function listDirectory(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function fileBytes(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

async function readAt(path: string, position: number, byteLength: number): Promise<Buffer | undefined> {
  let file;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(byteLength), 0, byteLength, position);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
