/** Keeps a stream of (offset, bytes) exact: each byte once and in order, whatever overlaps or lacks on the way. */

export type Placement =
  | { readonly kind: 'next'; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly kind: 'seen' }
  | { readonly kind: 'hole'; readonly expected: number; readonly got: number };

export class OutputCursor {
  #next: number;

  /** @param next offset of the first byte not yet taken */
  constructor(next: number) {
    this.#next = next;
  }

  get next(): number {
    return this.#next;
  }

  /** Takes what is new in `bytes`. A hole takes nothing: the stream must be asked for again from `expected`. */
  take(offset: number, bytes: Uint8Array): Placement {
    if (offset > this.#next) return { kind: 'hole', expected: this.#next, got: offset };
    const overlap = this.#next - offset;
    if (overlap >= bytes.length) return { kind: 'seen' };
    const fresh = overlap === 0 ? bytes : bytes.subarray(overlap);
    const placed: Placement = { kind: 'next', offset: this.#next, bytes: fresh };
    this.#next += fresh.length;
    return placed;
  }
}
