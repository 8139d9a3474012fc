/** Gathering: the first output at once, a flood in slabs, no byte changed while somebody still reads it. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { GATHER_MS, OutputGatherer, SLAB_BYTES, SlabPool, type OutputChunk } from './output-gatherer.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('OutputGatherer', () => {
  it('passes on the first output at once and gathers what follows within 2 ms', () => {
    const chunks: string[] = [];
    const gatherer = new OutputGatherer(new SlabPool(), (chunk) => chunks.push(chunk.bytes.toString()));
    gatherer.push(Buffer.from('a'));
    gatherer.push(Buffer.from('b'));
    gatherer.push(Buffer.from('c'));
    const atOnce = [...chunks];
    jest.advanceTimersByTime(GATHER_MS);
    expect([atOnce, chunks, gatherer.endOffset]).toEqual([['a'], ['a', 'bc'], 3]);
  });

  it('keeps every byte in order, and keeps it unchanged until it is released', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(SLAB_BYTES * 2), { maxLength: 10 }), (lengths) => {
        const pool = new SlabPool();
        const kept: { chunk: OutputChunk; copy: Buffer }[] = [];
        const gatherer = new OutputGatherer(pool, (chunk) => {
          chunk.slab.retain();
          kept.push({ chunk, copy: Buffer.from(chunk.bytes) });
        });
        const whole = Buffer.concat(lengths.map((length, index) => Buffer.alloc(length, index + 1)));
        for (let at = 0, index = 0; index < lengths.length; at += lengths[index] as number, index += 1) {
          gatherer.push(whole.subarray(at, at + (lengths[index] as number)));
        }
        gatherer.flush();
        expect(Buffer.concat(kept.map(({ chunk }) => chunk.bytes)).equals(whole)).toBe(true);
        expect(kept.every(({ chunk, copy }) => copy.equals(chunk.bytes) && chunk.bytes.length <= SLAB_BYTES)).toBe(true);
        gatherer.end();
      }),
      { numRuns: 30 },
    );
  });

  it('hands on nothing after its end, although its slab is filled by another session by then', () => {
    const pool = new SlabPool();
    const chunks: string[] = [];
    const ended = new OutputGatherer(pool, (chunk) => chunks.push(chunk.bytes.toString()));
    ended.push(Buffer.from('mine'));
    ended.end();
    const other = new OutputGatherer(pool, () => undefined);
    other.push(Buffer.from('much longer, and of no concern to the first'));
    ended.flush();
    expect([chunks, ended.endOffset]).toEqual([['mine'], 4]);
  });

  it('uses slabs again once everybody let go', () => {
    const pool = new SlabPool();
    const slabs = new Set<object>();
    const gatherer = new OutputGatherer(pool, (chunk) => slabs.add(chunk.slab));
    for (let round = 0; round < 50; round += 1) gatherer.push(Buffer.alloc(SLAB_BYTES));
    expect(slabs.size).toBeLessThanOrEqual(2);
  });
});
