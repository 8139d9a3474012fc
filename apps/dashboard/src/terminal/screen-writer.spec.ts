/** Muting follows the parsed bytes, not the received ones. */
import { describe, expect, it } from '@jest/globals';
import { ScreenWriter } from './screen-writer.js';

const encode = (text: string) => new TextEncoder().encode(text);

function rig() {
  const parsed: string[] = [];
  const writer: ScreenWriter = new ScreenWriter({
    // Parses later, as xterm does.
    write: (bytes, done) =>
      setImmediate(() => {
        parsed.push(`${writer.isReplaying ? 'replay' : 'live'} ${new TextDecoder().decode(bytes)}`);
        done();
      }),
  });
  return { writer, parsed };
}

describe('ScreenWriter', () => {
  it('is replaying up to the offset at the time of the attach, and live from there', async () => {
    const { writer, parsed } = rig();
    writer.replayUntil(6);
    await writer.write(encode('old'), 0);
    await writer.write(encode('oldnew'), 3);
    await writer.write(encode('new'), 9);
    expect(parsed).toEqual(['replay old', 'replay old', 'live new', 'live new']);
  });

  it('is replaying again after a break, until it is known what was missed', async () => {
    const { writer, parsed } = rig();
    writer.replayUntil(0);
    await writer.write(encode('a'), 0);
    writer.replayUntil(Infinity);
    await writer.write(encode('b'), 1);
    writer.replayUntil(2);
    await writer.write(encode('c'), 2);
    expect(parsed).toEqual(['live a', 'replay b', 'live c']);
  });

  it('holds an unfinished character back, and shows it when nothing follows', async () => {
    const { writer, parsed } = rig();
    writer.replayUntil(0);
    const ellipsis = encode('a…');
    await writer.write(ellipsis.subarray(0, 3), 0);
    await writer.write(ellipsis.subarray(3), 3);
    await writer.write(ellipsis.subarray(0, 2), 4);
    await writer.flush();
    expect(parsed).toEqual(['live a', 'live …', 'live a', 'live \ufffd']);
  });
});
