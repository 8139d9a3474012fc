/** Feeds: exact, in order, bounded, from memory and from the journal alike. */
import { describe, expect, it } from '@jest/globals';
import { FEED_WINDOW_BYTES, type LinkEvent } from '@holdfast/contracts';
import fc from 'fast-check';
import { FakeJournal } from './fake-journal.js';
import { Feed } from './feed.js';
import { SessionStream } from './session-stream.js';

const SIZE = { cols: 80, rows: 24 };
const START = { ...SIZE, recordingStopped: false };

function numbered(length: number, from = 0): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => (from + index) % 251));
}

/** Carries out steps until the feed waits; acknowledges everything when `acknowledges`. */
async function drain(feed: Feed, acknowledges = true): Promise<(string | LinkEvent)[]> {
  const seen: (string | LinkEvent)[] = [];
  for (;;) {
    const step = feed.step();
    if (step.do === 'send') {
      seen.push(`${step.offset}:${Buffer.from(step.bytes).toString('hex')}`);
      if (acknowledges) feed.acknowledge(step.offset + step.bytes.length);
    } else if (step.do === 'tell') seen.push(step.event);
    else if (step.do === 'close') return [...seen, step.event];
    else if (step.do === 'wait' || !(await step.then)) return seen;
  }
}

function bytesOf(seen: readonly (string | LinkEvent)[]): Buffer {
  return Buffer.concat(seen.flatMap((entry) => (typeof entry === 'string' ? [Buffer.from(entry.split(':')[1] ?? '', 'hex')] : [])));
}

describe('Feed', () => {
  it('gives exactly the bytes from its start, whatever is in memory, on disk, skipped or repeated', async () => {
    const chunk = fc.record({
      length: fc.integer({ min: 1, max: 50 }),
      skipped: fc.boolean(),
      repeat: fc.integer({ min: 0, max: 20 }),
      durable: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(chunk, { maxLength: 20 }), fc.nat(200), fc.nat(100), async (chunks, onDisk, from) => {
        const journal = new FakeJournal(numbered(onDisk));
        const stream = new SessionStream(journal, SIZE, () => 0);
        stream.attachedAt({ offset: onDisk, ...START });
        const start = Math.min(from, onDisk);
        const feed = new Feed(1, stream, start);
        const seen = [];
        let end = onDisk;
        for (const { length, skipped, repeat, durable } of chunks) {
          const back = Math.min(repeat, end);
          if (!skipped) stream.append(end - back, numbered(length + back, end - back));
          end += length;
          journal.bytes = numbered(end);
          if (durable) stream.durableTo(end);
          seen.push(...(await drain(feed)));
        }
        stream.finish({ exit: { code: 0 }, offset: end });
        seen.push(...(await drain(feed)));
        expect(bytesOf(seen)).toEqual(numbered(end - start, start));
        expect(seen.at(-1)).toEqual({ event: 'exit', feed: 1, offset: end, exit: { code: 0 } });
      }),
    );
  });

  it('sends no more than its window and goes on when acknowledged', async () => {
    const journal = new FakeJournal(numbered(FEED_WINDOW_BYTES + 1000));
    const feed = new Feed(1, new SessionStream(journal, SIZE, () => 0), 0);
    expect(bytesOf(await drain(feed, false)).length).toBe(FEED_WINDOW_BYTES);
    expect(feed.step()).toEqual({ do: 'wait' });
    feed.acknowledge(400);
    expect(bytesOf(await drain(feed, false)).length).toBe(400);
    feed.acknowledge(Number.MAX_SAFE_INTEGER);
    expect(bytesOf(await drain(feed, false)).length).toBe(600);
  });

  it('tells resizes and the exit between the bytes they came between', async () => {
    const journal = new FakeJournal(numbered(4));
    const stream = new SessionStream(journal, SIZE, () => 0);
    stream.resized({ offset: 2, cols: 90, rows: 30 });
    stream.finish({ exit: { code: 7 }, offset: 4 });
    stream.append(4, Buffer.from([9]));
    const feed = new Feed(3, stream, 0);
    expect(feed.startSize).toEqual({ offset: 0, ...SIZE });
    expect(await drain(feed)).toEqual([
      '0:0001',
      { event: 'resized', feed: 3, offset: 2, cols: 90, rows: 30 },
      '2:0203',
      { event: 'exit', feed: 3, offset: 4, exit: { code: 7 } },
      '4:09',
    ]);
  });

  it.each([
    ['session.output-pruned', { earliest: 10 }],
    ['session.output-gap', { hole: { from: 0, to: 10 } }],
  ])('closes with %s where it cannot be exact', async (code, facts) => {
    const journal = Object.assign(new FakeJournal(numbered(20)), facts);
    const feed = new Feed(1, new SessionStream(journal, SIZE, () => 0), 0);
    expect(await drain(feed)).toEqual([{ event: 'feed-closed', feed: 1, code }]);
  });
});
