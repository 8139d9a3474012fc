/** How turns are shared. */
import { describe, expect, it } from '@jest/globals';
import { TURNS_PER_SLICE, TurnScheduler, type TurnTaker } from './turn-scheduler.js';

function rig() {
  const later: (() => void)[] = [];
  const turns: string[] = [];
  const scheduler = new TurnScheduler((callback) => later.push(callback));
  const taker = (name: string, wanted: number): TurnTaker => {
    let left = wanted;
    return {
      takeTurn: () => {
        turns.push(name);
        left -= 1;
        return left > 0;
      },
    };
  };
  return { later, turns, scheduler, taker };
}

describe('TurnScheduler', () => {
  it('serves an idle viewer at once', () => {
    const { scheduler, turns, taker, later } = rig();
    scheduler.wake(taker('a', 1));
    expect([turns, later.length]).toEqual([['a'], 0]);
  });

  it('gives turns round and round, and the newcomer its turn before the flood has another two', () => {
    const { scheduler, turns, taker, later } = rig();
    scheduler.wake(taker('flood', 1_000));
    scheduler.wake(taker('echo', 1));
    later.shift()?.();
    expect(turns.slice(TURNS_PER_SLICE, TURNS_PER_SLICE + 3)).toEqual(['flood', 'echo', 'flood']);
  });

  it('lets the event loop go after every slice, and goes on', () => {
    const { scheduler, turns, taker, later } = rig();
    scheduler.wake(taker('flood', 3 * TURNS_PER_SLICE));
    const counts = [turns.length];
    while (later.length > 0) {
      later.shift()?.();
      counts.push(turns.length);
    }
    expect(counts).toEqual([TURNS_PER_SLICE, 2 * TURNS_PER_SLICE, 3 * TURNS_PER_SLICE]);
  });

  it('forgets who is gone', () => {
    const { scheduler, turns, taker, later } = rig();
    const flood = taker('flood', 1_000);
    scheduler.wake(flood);
    scheduler.forget(flood);
    later.shift()?.();
    expect([turns.length, later.length]).toEqual([TURNS_PER_SLICE, 0]);
  });
});
