/** Cuts output into pieces that xterm.js 6.0.0 takes whole: never inside a character, never too large, replay apart from what is live. */

export interface OutputPiece {
  readonly bytes: Uint8Array;
  /** Output from before this terminal watched: whatever it asks was answered then. */
  readonly isReplay: boolean;
}

/** Most bytes per write. xterm slices writes of more than 128 KiB itself, and loses characters at those cuts. */
export const MAX_PIECE_BYTES = 64 * 1024;

/**
 * Length of an unfinished UTF-8 character at the end, 0 to 3. xterm 6.0.0 loses characters cut behind a 0x80 byte (dashes,
 * quotes, ellipses: xtermjs/xterm.js#6003), so such a tail waits for what follows it.
 */
export function unfinishedTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue; // a continuation: its lead is further back
    return lengthByLead(byte) > back ? back : 0;
  }
  return 0;
}

function lengthByLead(byte: number): number {
  if (byte >= 0xf0 && byte < 0xf8) return 4;
  if (byte >= 0xe0 && byte < 0xf0) return 3;
  return byte >= 0xc0 && byte < 0xe0 ? 2 : 1;
}

/** `offset` is that of the first byte; `rest` is the unfinished tail, to be put before the next bytes. */
export function cutOutput(bytes: Uint8Array, offset: number, replayUntil: number): { pieces: OutputPiece[]; rest: Uint8Array } {
  const pieces: OutputPiece[] = [];
  const usable = bytes.length - unfinishedTail(bytes);
  const border = wholeCharacters(bytes, 0, Math.min(usable, Math.max(0, replayUntil - offset)));
  for (let at = 0; at < usable;) {
    const isReplay = at < border;
    const limit = Math.min(at + MAX_PIECE_BYTES, isReplay ? border : usable);
    const end = limit === usable || limit === border ? limit : wholeCharacters(bytes, at, limit);
    pieces.push({ bytes: bytes.subarray(at, end), isReplay });
    at = end;
  }
  return { pieces, rest: bytes.subarray(usable) };
}

/** The last place at or before `end` that cuts no character. */
function wholeCharacters(bytes: Uint8Array, start: number, end: number): number {
  return end - unfinishedTail(bytes.subarray(start, end));
}

export function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
