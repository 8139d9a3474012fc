/** Decides when consumed output is acknowledged: at every full step, and the remainder once the stream is idle. */

export class AcknowledgementMeter {
  readonly #stepBytes: number;
  #acknowledged: number;
  #consumed: number;

  constructor(from: number, stepBytes: number) {
    this.#acknowledged = from;
    this.#consumed = from;
    this.#stepBytes = stepBytes;
  }

  /** Notes that all before `offset` is consumed; gives the offset to acknowledge now, if any. */
  consumed(offset: number): number | undefined {
    this.#consumed = Math.max(this.#consumed, offset);
    return this.#consumed - this.#acknowledged >= this.#stepBytes ? this.#acknowledge() : undefined;
  }

  /** The stream is idle: gives what is left to acknowledge, if anything. */
  idle(): number | undefined {
    return this.#consumed > this.#acknowledged ? this.#acknowledge() : undefined;
  }

  #acknowledge(): number {
    this.#acknowledged = this.#consumed;
    return this.#acknowledged;
  }
}
