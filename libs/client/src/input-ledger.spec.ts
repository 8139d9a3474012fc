/** Input is applied once and in order, whatever is lost on the way. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InputLedger } from './input-ledger.js';

const byte = (value: number) => Uint8Array.of(value);

describe('InputLedger', () => {
  it('applies every write once and in order when connections break at any point', () => {
    // Each step: write, deliver some of what was sent (with its answer, or with the answer lost), or break and resume.
    const step = fc.oneof(
      fc.constant('write' as const),
      fc.constant('answered' as const),
      fc.constant('answer lost' as const),
      fc.constant('break' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const ledger = new InputLedger<number>(1_000_000);
        const applied: number[] = [];
        const settled: number[] = [];
        let written = 0;
        const deliver = () => {
          const entry = ledger.pending.find(({ seq }) => seq === applied.length + 1);
          if (entry !== undefined) applied.push(entry.tag);
          return entry;
        };
        const resume = () => settled.push(...ledger.resume(applied.length).map(({ tag }) => tag));
        for (const what of steps) {
          if (what === 'write') ledger.add(byte(1), written++);
          if (what === 'answer lost') deliver();
          if (what === 'break') resume();
          const entry = what === 'answered' ? deliver() : undefined;
          if (entry !== undefined) settled.push(...ledger.applied(entry).map(({ tag }) => tag));
        }
        while (deliver() !== undefined);
        resume();
        const all = Array.from({ length: written }, (_, index) => index);
        expect({ applied, settled, pending: ledger.pending }).toEqual({ applied: all, settled: all, pending: [] });
      }),
    );
  });

  it('closes the gap that a refused write leaves', () => {
    const ledger = new InputLedger<string>(1_000_000);
    const [, refused] = ['a', 'b', 'c', 'd'].map((tag) => ledger.add(byte(0), tag));
    if (refused !== undefined) ledger.refused(refused);
    const next = ledger.add(byte(0), 'e');
    expect(ledger.pending.map(({ seq, tag }) => `${seq}${tag}`)).toEqual(['1a', '2c', '3d', '4e']);
    expect(next?.seq).toBe(4);
  });

  it('refuses what would wait beyond its limit, but never a single write', () => {
    const ledger = new InputLedger<string>(10);
    expect(ledger.add(new Uint8Array(50), 'large')?.seq).toBe(1);
    expect(ledger.add(byte(0), 'more')).toBeUndefined();
    ledger.resume(1);
    expect(ledger.add(byte(0), 'later')?.seq).toBe(2);
  });
});
