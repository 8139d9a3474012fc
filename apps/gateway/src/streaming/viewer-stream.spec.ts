/** What a viewer gets, whatever the chunking, the acknowledgements, the evictions and the breaks. */
import { describe, expect, it } from '@jest/globals';
import { VIEWER_ACK_BYTES, VIEWER_WINDOW_BYTES } from '@holdfast/contracts';
import type { ErrorCode } from '@holdfast/kernel';
import fc from 'fast-check';
import { HOLD_AT_LAG_BYTES, HOLD_MS, PACE_RECENT_MS } from './flood-pace.js';
import { FEED_SPAN_BYTES, OutputFeed } from './output-feed.js';
import { FIRST_SIZE, ManualClock, RecordedStream, RecordingSink, type Told } from './recorded-stream.fake.js';
import { TurnScheduler } from './turn-scheduler.js';
import { TURN_BYTES, VIEWER_SILENCE_MS, ViewerStream } from './viewer-stream.js';

const MIB = 1024 * 1024;

class Rig {
  readonly source = new RecordedStream();
  readonly clock = new ManualClock();
  readonly scheduler = new TurnScheduler((callback) => this.pending.push(callback));
  readonly feed = new OutputFeed({ sessionId: 's', epoch: 1 }, this.source, this.clock);
  readonly givenUp: ErrorCode[] = [];
  private readonly pending: (() => void)[] = [];
  private written = 0;

  static async following(): Promise<Rig> {
    const rig = new Rig();
    await rig.feed.follow(false);
    return rig;
  }

  viewer(offset: number): { stream: ViewerStream; sink: RecordingSink } {
    const sink = new RecordingSink(offset);
    const { feed, scheduler, clock } = this;
    const stream = new ViewerStream({
      feed,
      sink,
      scheduler,
      clock,
      offset,
      size: FIRST_SIZE,
      onGivenUp: (code) => this.givenUp.push(code),
    });
    stream.start();
    return { stream, sink };
  }

  /** Writes bytes that differ from their neighbours, so that a lost or repeated one shows. */
  write(byteLength: number): void {
    const period = Uint8Array.from({ length: 251 }, (_unused, index) => ((this.written + index) * 31) % 251);
    this.source.write(Buffer.alloc(byteLength, period));
    this.written += byteLength;
  }

  /** Lets everything that is due happen: deliveries, turns, reads, retries. */
  async settle(): Promise<void> {
    this.source.deliver();
    for (let idle = 0; idle < 3; idle += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      while (this.pending.length > 0) {
        idle = 0;
        this.pending.shift()?.();
      }
      this.clock.advance(1_000);
    }
  }

  /** Lets every turn that is due be taken, in no time. */
  runTurns(): void {
    while (this.pending.length > 0) this.pending.shift()?.();
  }

  /** Acknowledges everything until nothing comes any more. */
  async drain({ stream, sink }: { stream: ViewerStream; sink: RecordingSink }): Promise<void> {
    for (let before = -1; before !== sink.offset;) {
      before = sink.offset;
      stream.acknowledge(sink.offset);
      await this.settle();
    }
  }
}

type Step =
  | { readonly do: 'write'; readonly bytes: number }
  | { readonly do: 'resize'; readonly cols: number }
  | { readonly do: 'acknowledge'; readonly share: number }
  | { readonly do: 'settle' | 'break' | 'return' | 'exit' | 'stall' | 'drained' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      bytes: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 1_500_000 })),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('resize' as const), cols: fc.integer({ min: 1, max: 200 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('acknowledge' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('settle', 'settle', 'break', 'return', 'exit', 'stall', 'drained') }) },
);

async function take(rig: Rig, { stream, sink }: { stream: ViewerStream; sink: RecordingSink }, what: Step): Promise<void> {
  if (what.do === 'write') rig.write(what.bytes);
  else if (what.do === 'resize') rig.source.resize({ cols: what.cols, rows: 24 });
  else if (what.do === 'acknowledge') stream.acknowledge(Math.floor(sink.offset * what.share));
  else if (what.do === 'exit') endOnce(rig.source);
  else if (what.do === 'break') {
    rig.source.leave();
    rig.feed.interrupt();
  } else if (what.do === 'return') await comeBack(rig);
  else if (what.do === 'stall') sink.isReady = false;
  else if (what.do === 'drained') {
    sink.isReady = true;
    stream.wake();
  } else await rig.settle();
  rig.source.deliver();
}

function endOnce(source: RecordedStream): void {
  if (source.exit === undefined) source.end({ code: 7 });
}

async function comeBack(rig: Rig): Promise<void> {
  rig.source.return();
  await rig.feed.follow(false);
}

/** What holds from which offset on: of several sizes at one offset the last, and only where it differs from the one before. */
function settled(told: readonly Told[]): Told[] {
  const sizes = new Map(told.flatMap((fact) => ('cols' in fact ? [[fact.at, fact] as const] : [])));
  const changes = [...sizes.values()].filter((fact, index, all) => fact.cols !== (all[index - 1]?.cols ?? FIRST_SIZE.cols));
  return [...changes, ...told.filter((fact) => 'exit' in fact)];
}

function expectedTold({ source }: Rig): Told[] {
  const sizes = source.resizes.map(({ offset, cols, rows }) => ({ at: offset, cols, rows }));
  return settled(source.exit === undefined ? sizes : [...sizes, { at: source.exit.offset, exit: source.exit.exit }]);
}

describe('ViewerStream', () => {
  it('sends every byte once, in order, with resizes and exit at their offsets, whatever happens in between', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }), async (steps) => {
        const rig = await Rig.following();
        const viewer = rig.viewer(0);
        for (const one of steps) {
          await take(rig, viewer, one);
          expect(viewer.stream.unacknowledgedBytes).toBeLessThanOrEqual(VIEWER_WINDOW_BYTES);
        }
        viewer.sink.isReady = true;
        await comeBack(rig);
        await rig.drain(viewer);
        expect(viewer.sink.bytes.equals(rig.source.bytes)).toBe(true);
        expect(settled(viewer.sink.told)).toEqual(expectedTold(rig));
        expect(viewer.sink.largest).toBeLessThanOrEqual(TURN_BYTES);
        expect(rig.givenUp).toEqual([]);
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  it('tells every resize and the exit at its own offset, live and from the journal alike', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 300_000 }), fc.integer({ min: 1, max: 9 })), {
          minLength: 5,
          maxLength: 30,
          size: 'max',
        }),
        fc.boolean(),
        async (parts, isLive) => {
          const rig = await Rig.following();
          const viewer = rig.viewer(0);
          viewer.sink.isReady = isLive;
          for (const [bytes, cols] of parts) {
            rig.source.resize({ cols, rows: 24 });
            if (bytes > 0) rig.write(bytes);
          }
          rig.source.end({ code: 0 });
          await rig.settle();
          viewer.sink.isReady = true;
          await rig.drain(viewer);
          expect(settled(viewer.sink.told)).toEqual(expectedTold(rig));
        },
      ),
      { numRuns: 20 },
    );
  }, 60_000);

  it('tells the exit before what left-over processes still write, however far behind it is', async () => {
    const rig = await Rig.following();
    const viewer = rig.viewer(0);
    viewer.sink.isReady = false;
    rig.write(10);
    rig.source.end({ code: 0 });
    rig.write(10);
    await rig.settle();
    viewer.sink.isReady = true;
    await rig.drain(viewer);
    expect([viewer.sink.told, viewer.sink.offset]).toEqual([[{ at: 10, exit: { code: 0 } }], 20]);
  });

  it('stops at a full window, and an acknowledgement lets it go on', async () => {
    const rig = await Rig.following();
    const { stream, sink } = rig.viewer(0);
    rig.write(MIB);
    await rig.settle();
    const stoppedAt = sink.offset;
    stream.acknowledge(100_000);
    await rig.settle();
    expect([stoppedAt, sink.offset]).toEqual([VIEWER_WINDOW_BYTES, VIEWER_WINDOW_BYTES + 100_000]);
  });

  it('neither slows the feed nor another viewer when it stands still', async () => {
    const rig = await Rig.following();
    rig.viewer(0);
    const other = rig.viewer(0);
    for (let written = 0; written < 8; written += 1) {
      rig.write(MIB);
      await rig.settle();
      await rig.drain(other);
    }
    expect([other.sink.offset, rig.source.acknowledgedTo]).toEqual([8 * MIB, 8 * MIB]);
    expect(rig.feed.live?.start).toBe(8 * MIB - FEED_SPAN_BYTES);
  });

  it('gives up with the reason when what it needs was pruned', async () => {
    const rig = await Rig.following();
    const { stream, sink } = rig.viewer(0);
    for (let written = 0; written < 4; written += 1) {
      rig.write(MIB);
      await rig.settle();
    }
    rig.source.earliestOffset = 2 * MIB;
    stream.acknowledge(sink.offset);
    await rig.settle();
    expect(rig.givenUp).toEqual(['session.output-pruned']);
  });

  it('counts an acknowledgement of more than was sent as one of all that was', async () => {
    const rig = await Rig.following();
    const { stream } = rig.viewer(0);
    rig.write(1_000);
    await rig.settle();
    stream.acknowledge(Number.MAX_SAFE_INTEGER);
    rig.write(VIEWER_WINDOW_BYTES + 1);
    await rig.settle();
    expect(stream.unacknowledgedBytes).toBe(VIEWER_WINDOW_BYTES);
  });

  it('gives a viewer up that owes an acknowledgement for 30 s with an empty transport', async () => {
    const rig = await Rig.following();
    const { stream } = rig.viewer(0);
    rig.write(VIEWER_ACK_BYTES);
    await rig.settle();
    stream.checkSilence();
    rig.clock.advance(VIEWER_SILENCE_MS);
    stream.checkSilence();
    expect(rig.givenUp).toEqual(['viewer.slow']);
  });

  it.each([
    ['owes none', VIEWER_ACK_BYTES - 1, true],
    ['still has something in its transport', VIEWER_ACK_BYTES, false],
  ])('keeps a silent viewer that %s', async (_what, bytes, isDrained) => {
    const rig = await Rig.following();
    const { stream, sink } = rig.viewer(0);
    sink.isDrained = isDrained;
    rig.write(bytes);
    await rig.settle();
    for (let seconds = 0; seconds < 60; seconds += 1) {
      rig.clock.advance(1_000);
      stream.checkSilence();
    }
    expect(rig.givenUp).toEqual([]);
  });

  it('ends with the feed, for the same reason', async () => {
    const rig = await Rig.following();
    rig.viewer(0);
    rig.source.closeFeed('session.stale-handle');
    expect(rig.givenUp).toEqual(['session.stale-handle']);
  });
});

describe('a flood', () => {
  it('is held to the pace of a viewer that keeps up, and goes on when it has caught up', async () => {
    const rig = await Rig.following();
    const viewer = rig.viewer(0);
    rig.write(HOLD_AT_LAG_BYTES + 1);
    rig.source.deliver();
    const held = [...rig.source.holds];
    while (viewer.stream.unacknowledgedBytes > 0) {
      viewer.stream.acknowledge(viewer.sink.offset);
      rig.runTurns();
    }
    expect([held, rig.source.holds]).toEqual([[HOLD_MS], [HOLD_MS, 0]]);
  });

  it('is not held for a viewer that has stopped acknowledging', async () => {
    const rig = await Rig.following();
    rig.viewer(0);
    rig.clock.advance(PACE_RECENT_MS + 1);
    rig.write(HOLD_AT_LAG_BYTES + 1);
    rig.source.deliver();
    expect(rig.source.holds).toEqual([]);
  });
});
