/** xterm gets whole characters, and every byte. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutOutput, joined, MAX_PIECE_BYTES, unfinishedTail } from './output-pieces.js';

const encode = (text: string) => new TextEncoder().encode(text);

describe('unfinishedTail', () => {
  it.each([
    ['plain', encode('abc'), 0],
    ['a whole character', encode('a…'), 0],
    ['two thirds of one', encode('a…').subarray(0, 3), 2],
    ['one third of one', encode('a…').subarray(0, 2), 1],
    ['three quarters of one', encode('🙂').subarray(0, 3), 3],
    ['continuations without a lead', Uint8Array.of(0x80, 0x80, 0x80, 0x80), 0],
    ['a byte that is no UTF-8', Uint8Array.of(0xff), 0],
    ['nothing', new Uint8Array(0), 0],
  ])('of %s', (_what, bytes, length) => {
    expect(unfinishedTail(bytes)).toBe(length);
  });
});

describe('cutOutput', () => {
  it('decodes to the same text however the stream is chopped, each piece by itself', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '…', '—', '🙂', '\n') });
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 5 })), fc.nat(40), (whole, cuts, replayUntil) => {
        const bytes = encode(whole);
        let held = new Uint8Array(0) as Uint8Array;
        let decoded = '';
        let at = 0;
        for (const length of [...cuts, bytes.length]) {
          const fresh = bytes.subarray(at, at + length);
          const { pieces, rest } = cutOutput(joined(held, fresh), at - held.length, replayUntil);
          for (const piece of pieces) decoded += new TextDecoder('utf-8', { fatal: true }).decode(piece.bytes);
          held = rest;
          at += fresh.length;
        }
        expect(decoded).toBe(whole);
      }),
    );
  });

  it('keeps replay and live output in pieces of their own', () => {
    const { pieces } = cutOutput(encode('before|after'), 100, 106);
    expect(pieces.map(({ bytes, isReplay }) => [new TextDecoder().decode(bytes), isReplay])).toEqual([
      ['before', true],
      ['|after', false],
    ]);
  });

  it('mutes everything while it is not known where the replay ends', () => {
    expect(cutOutput(encode('abc'), 0, Infinity).pieces.map(({ isReplay }) => isReplay)).toEqual([true]);
  });

  it('makes no piece too large, and cuts no character for it', () => {
    const { pieces, rest } = cutOutput(encode('…'.repeat(60_000)), 0, 0);
    expect(pieces.every(({ bytes }) => bytes.length <= MAX_PIECE_BYTES && bytes.length % 3 === 0)).toBe(true);
    expect(pieces.reduce((sum, { bytes }) => sum + bytes.length, rest.length)).toBe(180_000);
  });
});
