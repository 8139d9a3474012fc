/** Decides when a flood is held to the pace of the viewers that keep up with it (rules S3, S4). */

/** A viewer sets the pace while its last acknowledgement is no older: one that stopped slows nobody. */
export const PACE_RECENT_MS = 300;
/** The slowest of them may be this far behind before the flood is held: half the live span, so that it never has to fetch. */
export const HOLD_AT_LAG_BYTES = 1024 * 1024;
/** ... and the flood goes on when it is this close: enough to keep it busy until new output arrives. */
export const RELEASE_AT_LAG_BYTES = 512 * 1024;
/** A hold runs out by itself after this unless renewed. */
export const HOLD_MS = 250;

export type PaceDecision = 'hold' | 'release' | 'as-is';

export class FloodPace {
  private heldUntil = -Infinity;

  /** `lagBytes`: of the slowest viewer that sets the pace; undefined when none does. `now`: monotonic milliseconds. */
  decide(lagBytes: number | undefined, now: number): PaceDecision {
    const isHeld = now < this.heldUntil;
    if (lagBytes !== undefined && lagBytes > HOLD_AT_LAG_BYTES && !isHeld) {
      this.heldUntil = now + HOLD_MS;
      return 'hold';
    }
    if (!isHeld || (lagBytes !== undefined && lagBytes > RELEASE_AT_LAG_BYTES)) return 'as-is';
    this.heldUntil = -Infinity;
    return 'release';
  }
}
