/** One bounded read of a session's output. */
import { describe, expect, it } from '@jest/globals';
import { FakeJournal } from './fake-journal.js';
import { MAX_READ_RESIZES, readOutput } from './output-reader.js';
import { SessionStream } from './session-stream.js';

const SIZE = { cols: 80, rows: 24 };

function aStream(journal: FakeJournal): SessionStream {
  return new SessionStream(journal, SIZE, () => 0);
}

describe('readOutput', () => {
  it('reads from the earliest by default, across journal and memory, with the sizes of what it gives', async () => {
    const journal = Object.assign(new FakeJournal(Buffer.from('0123456789')), { earliest: 2 });
    const stream = aStream(journal);
    stream.resized({ offset: 4, cols: 90, rows: 30 });
    stream.append(10, Buffer.from('abc'));
    const { facts, bytes } = await readOutput(stream, { epoch: 1, limit: 100 });
    expect(bytes.toString()).toBe('23456789abc');
    expect(facts).toEqual({
      epoch: 1,
      offset: 2,
      nextOffset: 13,
      earliestOffset: 2,
      endOffset: 13,
      ...SIZE,
      resizes: [{ offset: 4, cols: 90, rows: 30 }],
    });
  });

  it('says that the end was not recorded when a full disk took the last bytes, in place of an empty end', async () => {
    const stream = aStream(new FakeJournal(Buffer.from('abc')));
    stream.finish({ exit: { code: 9 }, offset: 8 });
    expect((await readOutput(stream, { epoch: 1, limit: 100 })).bytes.toString()).toBe('abc');
    expect(stream.endOffset).toBe(8);
    await expect(readOutput(stream, { epoch: 1, from: 3, limit: 1 })).rejects.toMatchObject({
      code: 'session.output-gap',
      detail: { gapFrom: 3, gapTo: 8 },
    });
    expect((await readOutput(stream, { epoch: 1, from: 8, limit: 1 })).bytes).toHaveLength(0);
  });

  it('is empty at the end and typed everywhere else', async () => {
    const journal = Object.assign(new FakeJournal(Buffer.alloc(20)), { earliest: 5, hole: { from: 8, to: 12 } });
    const stream = aStream(journal);
    expect((await readOutput(stream, { epoch: 1, from: 20, limit: 1 })).bytes).toHaveLength(0);
    await expect(readOutput(stream, { epoch: 1, from: 21, limit: 1 })).rejects.toMatchObject({
      code: 'session.output-beyond-end',
      detail: { earliestOffset: 5, endOffset: 20 },
    });
    await expect(readOutput(stream, { epoch: 1, from: 4, limit: 1 })).rejects.toMatchObject({
      code: 'session.output-pruned',
      detail: { earliestOffset: 5 },
    });
    await expect(readOutput(stream, { epoch: 1, from: 9, limit: 1 })).rejects.toMatchObject({
      code: 'session.output-gap',
      detail: { gapFrom: 9, gapTo: 12 },
    });
    expect((await readOutput(stream, { epoch: 1, from: 6, limit: 100 })).facts.nextOffset).toBe(8);
  });

  it('ends early rather than tell more resizes than a frame holds', async () => {
    const stream = aStream(new FakeJournal(Buffer.alloc(5_000)));
    for (let offset = 1; offset <= 2_000; offset += 1) stream.resized({ offset, cols: 80 + (offset % 2), rows: 30 });
    const { facts } = await readOutput(stream, { epoch: 1, from: 0, limit: 5_000 });
    expect([facts.resizes.length, facts.nextOffset]).toEqual([MAX_READ_RESIZES, MAX_READ_RESIZES]);
  });
});
