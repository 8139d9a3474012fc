/** Writes a session's output to disk behind its producer: never blocks, never lies about what is durable, never stops a session. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EVENTS_FILE, encodeEvent, type JournalEvent } from './journal-format.js';
import { RecordFile } from './record-file.js';
import { SegmentFiles } from './segment-files.js';

/** Bytes waiting for a disk that refuses them before they are given up and recording counts as stopped. */
export const MAX_PENDING_BYTES = 4 * 1024 * 1024;
/** How long a refused write waits before it is tried again. */
const RETRY_MS = 500;
/** Chunks per writev(2), well below IOV_MAX (1,024). */
const MAX_BATCH_CHUNKS = 256;
/** Bytes per writev(2): bounds how far a segment grows past its size, and what one write may keep from others. */
const MAX_BATCH_BYTES = 1024 * 1024;

export interface JournalWriterOptions {
  readonly epochDir: string;
  readonly cols: number;
  readonly rows: number;
  /** Whole segments are removed from the oldest on while more than this is on disk. */
  readonly quotaBytes: number;
  /** Wall clock, epoch milliseconds. */
  readonly now: () => number;
  /** Everything below `offset` is on disk (or given up, when recording stopped). */
  readonly onDurable: (offset: number) => void;
  /** Recording stopped at `offset` because the disk refuses, or goes on there. */
  readonly onRecording: (stopped: boolean, offset: number) => void;
}

interface Pending {
  readonly offset: number;
  readonly bytes: Buffer;
  readonly atMs: number;
  /** Called once, when the bytes are on disk or given up: the buffer may be used again. */
  readonly release: () => void;
}

/** One write at a time per session, so that a stalled disk holds one thread of the pool and no event loop. */
export class JournalWriter {
  private pending: Pending[] = [];
  private queuedBytes = 0;
  /** Kept until they are on disk. */
  private readonly events: Buffer[] = [];
  private readonly segments: SegmentFiles;
  private endOffset = 0;
  private writtenOffset = 0;
  private gapFrom: number | undefined;
  private running: Promise<void> | undefined;
  private retryTimer: NodeJS.Timeout | undefined;
  private waiters: { readonly offset: number; readonly resolve: () => void }[] = [];
  private closed = false;

  private constructor(
    private readonly options: JournalWriterOptions,
    private readonly eventFile: RecordFile,
  ) {
    this.segments = new SegmentFiles(options.epochDir, options.quotaBytes);
  }

  /** Makes the directory and the event file. @throws the system error when the disk refuses already. */
  static async create(options: JournalWriterOptions): Promise<JournalWriter> {
    await mkdir(options.epochDir, { recursive: true, mode: 0o700 });
    const writer = new JournalWriter(options, await RecordFile.create(join(options.epochDir, EVENTS_FILE)));
    writer.record({ type: 'start', offset: 0, atMs: options.now(), cols: options.cols, rows: options.rows });
    return writer;
  }

  get durableOffset(): number {
    return this.writtenOffset;
  }

  /** Appended and neither written nor given up. */
  get pendingBytes(): number {
    return this.queuedBytes;
  }

  get isStopped(): boolean {
    return this.gapFrom !== undefined;
  }

  /** True while the disk refuses: whoever pauses a producer for `pendingBytes` must not do so now (rule Y5). */
  get isRefused(): boolean {
    return this.retryTimer !== undefined;
  }

  /** Bytes appended and not yet on disk, oldest first. */
  pendingChunks(): readonly { readonly offset: number; readonly bytes: Buffer }[] {
    return this.pending;
  }

  /** Takes the next bytes of the output. The buffer belongs to the journal until `release` is called. */
  append(bytes: Buffer, release: () => void): void {
    const chunk = { offset: this.endOffset, bytes, atMs: this.options.now(), release };
    this.endOffset += bytes.length;
    this.pending.push(chunk);
    this.queuedBytes += bytes.length;
    if (this.isRefused && this.queuedBytes > MAX_PENDING_BYTES) this.giveUp();
    this.start();
  }

  /** Records what happened at the current end of the output. */
  record(event: JournalEvent): void {
    this.events.push(encodeEvent(event));
    this.start();
  }

  /** Resolves when everything appended so far is on disk; a disk that refuses is not waited for: the bytes are given up. */
  flushed(): Promise<void> {
    const offset = this.endOffset;
    if (this.isRefused) this.giveUp();
    if (this.writtenOffset >= offset && this.events.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push({ offset, resolve }));
  }

  /** Writes what it can and closes; never waits for a disk that refuses. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retryTimer);
    if (this.isRefused) this.giveUp();
    this.retryTimer = undefined;
    await this.running;
    await this.segments.close();
    await this.eventFile.close();
    for (const waiter of this.waiters.splice(0)) waiter.resolve();
  }

  private start(): void {
    if (this.running || this.isRefused) return;
    this.running = this.drain().finally(() => {
      this.running = undefined;
      this.wakeWaiters();
      if (this.hasWork()) this.start();
    });
  }

  private hasWork(): boolean {
    return !this.isRefused && (this.pending.length > 0 || this.events.length > 0);
  }

  private async drain(): Promise<void> {
    while (this.hasWork()) {
      try {
        if (this.events.length > 0) await this.writeEvents();
        if (this.pending.length > 0) await this.writePending();
      } catch {
        this.refuse();
      }
    }
  }

  private async writeEvents(): Promise<void> {
    const batch = [...this.events];
    await this.eventFile.append(Buffer.concat(batch));
    this.events.splice(0, batch.length);
  }

  private async writePending(): Promise<void> {
    const batch = this.nextBatch();
    const buffers = batch.map((chunk, index) => (index === 0 ? chunk.bytes.subarray(this.writtenOffset - chunk.offset) : chunk.bytes));
    this.advance(await this.segments.write(this.writtenOffset, buffers));
    await this.segments.mark(this.writtenOffset, batch[0]?.atMs ?? this.options.now());
    await this.segments.prune();
  }

  private nextBatch(): Pending[] {
    const batch: Pending[] = [];
    let bytes = 0;
    for (const chunk of this.pending) {
      if (batch.length === MAX_BATCH_CHUNKS || bytes >= MAX_BATCH_BYTES) break;
      batch.push(chunk);
      bytes += chunk.bytes.length;
    }
    return batch;
  }

  /** Counts bytes that reached the file; a short write leaves the rest of a chunk pending. */
  private advance(written: number): void {
    this.writtenOffset += written;
    this.releaseWritten();
    this.options.onDurable(this.writtenOffset);
    this.wakeWaiters();
    if (this.gapFrom !== undefined) this.resumeRecording(this.gapFrom);
  }

  private releaseWritten(): void {
    for (let chunk = this.pending[0]; chunk && chunk.offset + chunk.bytes.length <= this.writtenOffset; chunk = this.pending[0]) {
      this.pending.shift();
      this.queuedBytes -= chunk.bytes.length;
      chunk.release();
    }
  }

  private resumeRecording(from: number): void {
    const to = this.segments.currentStart;
    this.events.push(encodeEvent({ type: 'gap', offset: from, atMs: this.options.now(), to }));
    this.gapFrom = undefined;
    this.options.onRecording(false, this.writtenOffset);
  }

  /** The disk said no: try again later, in a segment of its own, since the current one may end in half a write. */
  private refuse(): void {
    if (this.closed) {
      this.giveUp();
      return;
    }
    this.retryTimer = setTimeout(() => {
      this.retryTimer = undefined;
      this.start();
    }, RETRY_MS);
    this.retryTimer.unref();
    if (this.queuedBytes > MAX_PENDING_BYTES || this.waiters.length > 0) this.giveUp();
  }

  /** Lets go of everything pending: from here to the current end the journal has a hole. */
  private giveUp(): void {
    const from = this.gapFrom ?? this.writtenOffset;
    const given = this.pending;
    this.pending = [];
    this.queuedBytes = 0;
    this.writtenOffset = this.endOffset;
    const firstTime = this.gapFrom === undefined;
    this.gapFrom = from;
    for (const chunk of given) chunk.release();
    this.segments.close().catch(() => undefined);
    if (firstTime) this.options.onRecording(true, from);
    this.options.onDurable(this.writtenOffset);
    this.wakeWaiters();
  }

  private wakeWaiters(): void {
    const ready = this.waiters.filter((waiter) => waiter.offset <= this.writtenOffset && (this.events.length === 0 || this.isRefused));
    if (ready.length === 0) return;
    this.waiters = this.waiters.filter((waiter) => !ready.includes(waiter));
    for (const waiter of ready) waiter.resolve();
  }
}
