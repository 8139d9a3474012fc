/** Parsing what /proc says. */
import { describe, expect, it } from '@jest/globals';
import { ignoresTerminate, markIn } from './process-snapshot.js';

describe('markIn', () => {
  it.each([
    ['first', 'HOLDFAST_SESSION_MARK=abc\0PATH=/bin\0', 'abc'],
    ['last, unterminated', 'PATH=/bin\0HOLDFAST_SESSION_MARK=abc', 'abc'],
    ['only inside another value', 'X=HOLDFAST_SESSION_MARK=abc\0', undefined],
    ['after a decoy', 'X=HOLDFAST_SESSION_MARK=no\0HOLDFAST_SESSION_MARK=yes\0', 'yes'],
    ['under a longer name', 'XHOLDFAST_SESSION_MARK=abc\0', undefined],
    ['nowhere', 'PATH=/bin\0', undefined],
  ])('reads a mark that is %s', (_where, environ, mark) => {
    expect(markIn(Buffer.from(environ))).toBe(mark);
  });
});

describe('ignoresTerminate', () => {
  it('reads bit 14 of SigIgn', () => {
    expect(ignoresTerminate('Name:\tbash\nSigIgn:\t0000000000384004\n')).toBe(true);
    expect(ignoresTerminate('Name:\tcat\nSigIgn:\t0000000000000000\n')).toBe(false);
    expect(ignoresTerminate('')).toBe(false);
  });
});
