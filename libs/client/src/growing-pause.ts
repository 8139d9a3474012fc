/** Pauses between attempts: each twice the last up to a limit, back to the first after a success. */

export class GrowingPause {
  readonly #firstMs: number;
  readonly #longestMs: number;
  #nextMs: number;

  constructor(firstMs: number, longestMs: number) {
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
    this.#nextMs = firstMs;
  }

  next(): number {
    const ms = this.#nextMs;
    this.#nextMs = Math.min(this.#longestMs, ms * 2);
    return ms;
  }

  reset(): void {
    this.#nextMs = this.#firstMs;
  }
}
