/** The window is exact wherever it is read and however it was filled. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { OutputWindow } from './index.js';

describe('OutputWindow', () => {
  it('gives every byte it still holds, from any offset, whatever was dropped', () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }), fc.nat(900), (start, chunks, drop) => {
        const window = new OutputWindow(start);
        for (const chunk of chunks) window.append(window.end, chunk);
        const whole = Buffer.concat(chunks);
        window.dropBefore(start + drop);
        expect(window.start <= Math.max(start, start + drop) && window.end === start + whole.length).toBe(true);
        for (let offset = window.start; offset < window.end;) {
          const bytes = window.peek(offset, 7);
          expect(Buffer.from(bytes)).toEqual(whole.subarray(offset - start, offset - start + bytes.length));
          expect(bytes.length).toBeGreaterThan(0);
          offset += bytes.length;
        }
        expect(window.peek(window.end, 10)).toHaveLength(0);
      }),
    );
  });

  it('refuses a hole', () => {
    expect(() => new OutputWindow(5).append(6, new Uint8Array(1))).toThrow('append at 6');
  });
});
