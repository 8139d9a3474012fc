/** Grants holds of a session's output for the sake of viewers that keep up, and never slows a program below a floor (rule S3). */

/** A flood goes on at least this fast, whoever watches. */
export const FLOOR_BYTES_PER_SECOND = 4_000_000;

export class FloodBrake {
  private grantedAtOffset = 0;

  /** Milliseconds of the `wishedMs` that are granted, when the output has reached `endOffset`; 0 = none, or let it go on. */
  grant(wishedMs: number, endOffset: number): number {
    if (wishedMs <= 0) return 0;
    const earnedMs = ((endOffset - this.grantedAtOffset) / FLOOR_BYTES_PER_SECOND) * 1000;
    const grantedMs = Math.floor(Math.min(wishedMs, earnedMs));
    if (grantedMs > 0) this.grantedAtOffset = endOffset;
    return grantedMs;
  }
}
