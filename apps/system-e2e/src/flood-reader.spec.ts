/** The measuring instrument itself: it must see what it is there to see. */
import { describe, expect, it } from '@jest/globals';
import { FloodReader } from './flood-reader.js';

function read(...parts: readonly [offset: number, text: string][]): FloodReader {
  const reader = new FloodReader();
  for (const [offset, text] of parts) reader.take(Buffer.from(text), offset);
  return reader;
}

describe('FloodReader', () => {
  it('follows numbers over any cutting of the stream', () => {
    const reader = read([0, '0\r\n1'], [4, '\r'], [5, '\n2\r\n']);
    expect([reader.count, reader.fault]).toEqual([3, undefined]);
  });

  it('notices a missing number, a repeated one, and an offset that jumps', () => {
    const faults = [read([0, '0\r\n2\r\n']), read([0, '0\r\n0\r\n']), read([0, '0\r\n'], [4, '1\r\n'])].map((reader) => reader.fault);
    expect(faults).toEqual(['"2" where 1 was next', '"0" where 1 was next', 'bytes at offset 4, expected 3']);
  });
});
