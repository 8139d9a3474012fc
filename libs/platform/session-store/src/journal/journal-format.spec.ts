/** Journal records survive torn and damaged tails. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeEvents, decodeTimes, encodeEvent, encodeTime, segmentFile, segmentOffset, type JournalEvent } from './journal-format.js';

const u32 = fc.integer({ min: 0, max: 0xffff_ffff });
const base = { offset: fc.maxSafeNat(), atMs: fc.double({ min: 0, max: 1e13, noNaN: true }) };
const event: fc.Arbitrary<JournalEvent> = fc.oneof(
  fc.record({ ...base, type: fc.constant('start' as const), cols: u32, rows: u32 }),
  fc.record({ ...base, type: fc.constant('resize' as const), cols: u32, rows: u32 }),
  fc.record({ ...base, type: fc.constant('gap' as const), to: fc.maxSafeNat() }),
  fc.record({ ...base, type: fc.constant('exit' as const), code: u32, signal: u32 }),
);

describe('journal events', () => {
  it('come back whole, and a torn tail is left out', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 8 }), fc.nat(31), (events, torn) => {
        const bytes = Buffer.concat(events.map(encodeEvent));
        expect(decodeEvents(Buffer.concat([bytes, Buffer.alloc(torn, 1)]))).toEqual(events);
      }),
    );
  });

  it('end at the first damaged record', () => {
    const [a, b] = [1, 2].map((offset) => encodeEvent({ type: 'resize', offset, atMs: 5, cols: 1, rows: 1 })) as [Buffer, Buffer];
    b[20] = (b[20] as number) ^ 1;
    expect(decodeEvents(Buffer.concat([a, b, a]))).toHaveLength(1);
  });
});

describe('times and names', () => {
  it('reads times up to where a power loss left zeros', () => {
    const bytes = Buffer.concat([encodeTime(10, 1), encodeTime(20, 2), Buffer.alloc(32)]);
    expect(decodeTimes(bytes)).toEqual([
      { offset: 10, atMs: 1 },
      { offset: 20, atMs: 2 },
    ]);
  });

  it('names segments so that they sort by offset', () => {
    expect([segmentFile(0), segmentFile(123), segmentOffset(segmentFile(2 ** 52)), segmentOffset('events')]).toEqual([
      '0000000000000000.out',
      '0000000000000123.out',
      2 ** 52,
      undefined,
    ]);
  });
});
