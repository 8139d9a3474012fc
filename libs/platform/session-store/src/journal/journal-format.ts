/** The bytes of a journal on disk: raw segments by offset, an event file, and a time file per segment. */
import { crc32 } from 'node:zlib';

/** Bytes per segment file; whole segments are what pruning removes. */
export const SEGMENT_BYTES = 4 * 1024 * 1024;
/** Digits of an offset in a file name: sorts as text up to 2^53. */
const OFFSET_DIGITS = 16;

export const EVENTS_FILE = 'events';

export function segmentFile(offset: number): string {
  return `${String(offset).padStart(OFFSET_DIGITS, '0')}.out`;
}
export function timesFile(segmentOffset: number): string {
  return `${String(segmentOffset).padStart(OFFSET_DIGITS, '0')}.times`;
}
/** Start offset of a segment by its file name; undefined for any other file. */
export function segmentOffset(fileName: string): number | undefined {
  const match = /^(\d{16})\.out$/.exec(fileName);
  return match ? Number(match[1]) : undefined;
}

/** Something that happened between two bytes of the output. Times are epoch milliseconds by the holder's wall clock. */
export type JournalEvent =
  | { readonly type: 'start'; readonly offset: number; readonly atMs: number; readonly cols: number; readonly rows: number }
  | { readonly type: 'resize'; readonly offset: number; readonly atMs: number; readonly cols: number; readonly rows: number }
  /** Output from `offset` up to `to` was not recorded. */
  | { readonly type: 'gap'; readonly offset: number; readonly atMs: number; readonly to: number }
  | { readonly type: 'exit'; readonly offset: number; readonly atMs: number; readonly code: number; readonly signal: number };

const EVENT_TYPES = { start: 1, resize: 2, gap: 3, exit: 4 } as const;
const EVENT_VERSION = 1;
export const EVENT_BYTES = 32;
const TWO_POW_32 = 0x1_0000_0000;

/** type u8, version u8, 2 × 0, crc32 of the rest u32, offset u64, time f64, two u32 by type. */
export function encodeEvent(event: JournalEvent): Buffer {
  const record = Buffer.alloc(EVENT_BYTES);
  record[0] = EVENT_TYPES[event.type];
  record[1] = EVENT_VERSION;
  writeU64(record, event.offset, 8);
  record.writeDoubleBE(event.atMs, 16);
  const [a, b] = eventNumbers(event);
  record.writeUInt32BE(a, 24);
  record.writeUInt32BE(b, 28);
  record.writeUInt32BE(eventChecksum(record), 4);
  return record;
}

/** Every whole, undamaged record from the start; stops at the first that is not: what a crash left half-written. */
export function decodeEvents(bytes: Buffer): JournalEvent[] {
  const events: JournalEvent[] = [];
  for (let at = 0; at + EVENT_BYTES <= bytes.length; at += EVENT_BYTES) {
    const record = bytes.subarray(at, at + EVENT_BYTES);
    if (record.readUInt32BE(4) !== eventChecksum(record)) break;
    const event = decodeEvent(record);
    if (event) events.push(event);
  }
  return events;
}

export const TIME_BYTES = 16;

/** When the output reached `offset`: offset u64, epoch milliseconds f64. */
export function encodeTime(offset: number, atMs: number): Buffer {
  const record = Buffer.allocUnsafe(TIME_BYTES);
  writeU64(record, offset, 0);
  record.writeDoubleBE(atMs, 8);
  return record;
}

export function decodeTimes(bytes: Buffer): { offset: number; atMs: number }[] {
  const times: { offset: number; atMs: number }[] = [];
  for (let at = 0; at + TIME_BYTES <= bytes.length; at += TIME_BYTES) {
    const time = { offset: readU64(bytes, at), atMs: bytes.readDoubleBE(at + 8) };
    if (time.offset <= (times.at(-1)?.offset ?? -1)) break;
    times.push(time);
  }
  return times;
}

function eventNumbers(event: JournalEvent): readonly [number, number] {
  switch (event.type) {
    case 'start':
    case 'resize':
      return [event.cols, event.rows];
    case 'gap':
      return [Math.floor(event.to / TWO_POW_32), event.to % TWO_POW_32];
    case 'exit':
      return [event.code, event.signal];
  }
}

function decodeEvent(record: Buffer): JournalEvent | undefined {
  const offset = readU64(record, 8);
  const atMs = record.readDoubleBE(16);
  const a = record.readUInt32BE(24);
  const b = record.readUInt32BE(28);
  switch (record[0]) {
    case EVENT_TYPES.start:
      return { type: 'start', offset, atMs, cols: a, rows: b };
    case EVENT_TYPES.resize:
      return { type: 'resize', offset, atMs, cols: a, rows: b };
    case EVENT_TYPES.gap:
      return { type: 'gap', offset, atMs, to: a * TWO_POW_32 + b };
    case EVENT_TYPES.exit:
      return { type: 'exit', offset, atMs, code: a, signal: b };
    default:
      return undefined;
  }
}

function eventChecksum(record: Buffer): number {
  return crc32(record.subarray(8), crc32(record.subarray(0, 4)));
}

function writeU64(target: Buffer, value: number, at: number): void {
  target.writeUInt32BE(Math.floor(value / TWO_POW_32), at);
  target.writeUInt32BE(value % TWO_POW_32, at + 4);
}

function readU64(source: Buffer, at: number): number {
  return source.readUInt32BE(at) * TWO_POW_32 + source.readUInt32BE(at + 4);
}
