/** Shares the process among viewers: everybody who has something to send gets a turn of bounded bytes, round and round. */

export interface TurnTaker {
  /** Sends a bounded amount. True when another turn is wanted at once. */
  takeTurn(): boolean;
}

/** Turns before the event loop is let go: 16 turns of 64 KB are about 1 ms, the longest anybody else's echo waits behind them. */
export const TURNS_PER_SLICE = 16;

/** First come, first served; who wants another turn goes to the end. Nothing is held back by a timer: an idle scheduler serves within `wake`. */
export class TurnScheduler {
  private readonly queue = new Set<TurnTaker>();
  private running = false;
  private scheduled = false;

  /** `afterIo` runs its callback once pending input and output had their chance (setImmediate). */
  constructor(private readonly afterIo: (callback: () => void) => void) {}

  wake(taker: TurnTaker): void {
    this.queue.add(taker);
    if (!this.running && !this.scheduled) this.runSlice();
  }

  forget(taker: TurnTaker): void {
    this.queue.delete(taker);
  }

  private runSlice(): void {
    this.running = true;
    try {
      for (let turns = 0; turns < TURNS_PER_SLICE && this.queue.size > 0; turns += 1) this.runTurn();
    } finally {
      this.running = false;
      if (this.queue.size > 0) this.goOnLater();
    }
  }

  private runTurn(): void {
    const [taker] = this.queue;
    if (taker === undefined) return;
    this.queue.delete(taker);
    if (taker.takeTurn()) this.queue.add(taker);
  }

  private goOnLater(): void {
    this.scheduled = true;
    this.afterIo(() => {
      this.scheduled = false;
      this.runSlice();
    });
  }
}
