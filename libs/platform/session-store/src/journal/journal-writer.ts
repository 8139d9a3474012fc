/** Writes a session's output to disk behind its producer: never blocks, never lies about what is durable, never stops a session. */
import { close, constants, ftruncate, open, write, writev } from 'node:fs';
import { mkdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  EVENTS_FILE,
  SEGMENT_BYTES,
  encodeEvent,
  encodeTime,
  segmentFile,
  timesFile,
  type JournalEvent,
} from './journal-format.js';

const openFile = promisify(open);
const closeFile = promisify(close);
const writeFile = promisify(write);
const writeFiles = promisify(writev);
const truncateFile = promisify(ftruncate);

/** Bytes waiting for a disk that refuses them before they are given up and recording counts as stopped. */
export const MAX_PENDING_BYTES = 4 * 1024 * 1024;
/** How long a refused write waits before it is tried again. */
const RETRY_MS = 500;
/** Time marks closer together than this are one; bounds the time file to a sliver of the output. */
const TIME_GRAIN_MS = 10;
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

interface Segment {
  readonly offset: number;
  bytes: number;
}

/** One write at a time per session, so that a stalled disk holds one thread of the pool and no event loop. */
export class JournalWriter {
  private pending: Pending[] = [];
  private queuedBytes = 0;
  private events: Buffer[] = [];
  private readonly segments: Segment[] = [];
  private outputFd = -1;
  private timesFd = -1;
  private eventsFd = -1;
  private eventBytes = 0;
  private timeBytes = 0;
  private lastTimeMs = -Infinity;
  private endOffset = 0;
  private writtenOffset = 0;
  private gapFrom: number | undefined;
  private running: Promise<void> | undefined;
  private retryTimer: NodeJS.Timeout | undefined;
  private waiters: { readonly offset: number; readonly resolve: () => void }[] = [];
  private closed = false;

  private constructor(private readonly options: JournalWriterOptions) {}

  /** Makes the directory and the event file. @throws the system error when the disk refuses already. */
  static async create(options: JournalWriterOptions): Promise<JournalWriter> {
    const writer = new JournalWriter(options);
    await mkdir(options.epochDir, { recursive: true, mode: 0o700 });
    writer.eventsFd = await openFile(join(options.epochDir, EVENTS_FILE), appendFlags, 0o600);
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
    for (const fd of [this.outputFd, this.timesFd, this.eventsFd]) if (fd >= 0) await closeFile(fd);
    this.outputFd = this.timesFd = this.eventsFd = -1;
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
    return !this.isRefused && this.eventsFd >= 0 && (this.pending.length > 0 || this.events.length > 0);
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
    const batch = this.events;
    this.events = [];
    try {
      this.eventBytes = await appendRecords(this.eventsFd, this.eventBytes, Buffer.concat(batch));
    } catch (error) {
      this.events = [...batch, ...this.events];
      throw error;
    }
  }

  private async writePending(): Promise<void> {
    await this.ensureSegment();
    const batch = this.nextBatch();
    const buffers = batch.map((chunk, index) => (index === 0 ? chunk.bytes.subarray(this.writtenOffset - chunk.offset) : chunk.bytes));
    const written = await writeFiles(this.outputFd, buffers).then((result) => result.bytesWritten);
    this.advance(written);
    await this.writeTime(batch[0]?.atMs ?? this.options.now());
    await this.prune();
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
    (this.segments.at(-1) as Segment).bytes += written;
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
    const to = (this.segments.at(-1) as Segment).offset;
    this.events.push(encodeEvent({ type: 'gap', offset: from, atMs: this.options.now(), to }));
    this.gapFrom = undefined;
    this.options.onRecording(false, this.writtenOffset);
  }

  private async ensureSegment(): Promise<void> {
    const segment = this.segments.at(-1);
    if (this.outputFd >= 0 && segment && segment.bytes < SEGMENT_BYTES) return;
    const offset = this.writtenOffset;
    await this.closeSegment();
    this.outputFd = await openFile(join(this.options.epochDir, segmentFile(offset)), appendFlags, 0o600);
    this.timesFd = await openFile(join(this.options.epochDir, timesFile(offset)), appendFlags, 0o600);
    this.timeBytes = 0;
    this.lastTimeMs = -Infinity;
    if (segment?.offset !== offset) this.segments.push({ offset, bytes: 0 });
  }

  private async closeSegment(): Promise<void> {
    const fds = [this.outputFd, this.timesFd];
    this.outputFd = this.timesFd = -1;
    for (const fd of fds) if (fd >= 0) await closeFile(fd);
  }

  private async writeTime(atMs: number): Promise<void> {
    if (atMs - this.lastTimeMs < TIME_GRAIN_MS && atMs >= this.lastTimeMs) return;
    this.lastTimeMs = atMs;
    this.timeBytes = await appendRecords(this.timesFd, this.timeBytes, encodeTime(this.writtenOffset, atMs)).catch(() => this.timeBytes);
  }

  private async prune(): Promise<void> {
    let total = this.segments.reduce((sum, segment) => sum + segment.bytes, 0);
    while (total > this.options.quotaBytes && this.segments.length > 1) {
      const oldest = this.segments.shift() as Segment;
      total -= oldest.bytes;
      await unlink(join(this.options.epochDir, segmentFile(oldest.offset))).catch(() => undefined);
      await unlink(join(this.options.epochDir, timesFile(oldest.offset))).catch(() => undefined);
    }
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
    this.outputFd = this.abandon(this.outputFd);
    this.timesFd = this.abandon(this.timesFd);
    if (firstTime) this.options.onRecording(true, from);
    this.options.onDurable(this.writtenOffset);
    this.wakeWaiters();
  }

  private abandon(fd: number): number {
    if (fd >= 0) close(fd, () => undefined);
    return -1;
  }

  private wakeWaiters(): void {
    const ready = this.waiters.filter((waiter) => waiter.offset <= this.writtenOffset && (this.events.length === 0 || this.isRefused));
    if (ready.length === 0) return;
    this.waiters = this.waiters.filter((waiter) => !ready.includes(waiter));
    for (const waiter of ready) waiter.resolve();
  }
}

const appendFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND;

/** Appends to a file of `goodBytes` bytes, whole or not at all; gives its new length. @throws the system error. */
async function appendRecords(fd: number, goodBytes: number, bytes: Buffer): Promise<number> {
  try {
    for (let at = 0; at < bytes.length; ) at += (await writeFile(fd, bytes, at)).bytesWritten;
    return goodBytes + bytes.length;
  } catch (error) {
    await truncateFile(fd, goodBytes).catch(() => undefined);
    throw error;
  }
}
