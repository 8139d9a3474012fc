/** The stream stays exact under any cutting, overlap and loss. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { OutputCursor } from './output-cursor.js';

describe('OutputCursor', () => {
  it('rebuilds the stream from any pieces that overlap or repeat, each byte once', () => {
    const pieces = fc.array(fc.record({ back: fc.nat(30), length: fc.nat(40) }), { maxLength: 60 });
    fc.assert(
      fc.property(pieces, (cuts) => {
        const whole = Uint8Array.from({ length: 2000 }, (_, index) => index % 251);
        const cursor = new OutputCursor(0);
        const taken: number[] = [];
        for (const { back, length } of cuts) {
          const offset = Math.max(0, cursor.next - back);
          const placed = cursor.take(offset, whole.subarray(offset, offset + length));
          if (placed.kind !== 'next') continue;
          expect(placed.offset).toBe(taken.length);
          taken.push(...placed.bytes);
        }
        expect(taken).toEqual([...whole.subarray(0, cursor.next)]);
      }),
    );
  });

  it('takes nothing across a hole, and tells what it waits for', () => {
    const cursor = new OutputCursor(10);
    expect(cursor.take(11, new Uint8Array(5))).toEqual({ kind: 'hole', expected: 10, got: 11 });
    expect(cursor.next).toBe(10);
  });
});
