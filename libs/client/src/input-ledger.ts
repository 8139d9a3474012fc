/** Input on its way: numbers each write 1, 2, … per viewer and knows which must be sent again after a break. */

export interface InputEntry<Tag> {
  /** Changes only while the write is certain not to have been applied. */
  seq: number;
  readonly bytes: Uint8Array;
  readonly tag: Tag;
}

export class InputLedger<Tag> {
  readonly #maxBytes: number;
  #pending: InputEntry<Tag>[] = [];
  #pendingBytes = 0;
  #lastSeq = 0;

  /** @param maxBytes most bytes that wait for their acknowledgement */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** In the order they must be applied. */
  get pending(): readonly InputEntry<Tag>[] {
    return this.#pending;
  }

  /** Numbers a write, or refuses it when too much is waiting already. */
  add(bytes: Uint8Array, tag: Tag): InputEntry<Tag> | undefined {
    if (this.#pending.length > 0 && this.#pendingBytes + bytes.length > this.#maxBytes) return undefined;
    this.#lastSeq += 1;
    const entry = { seq: this.#lastSeq, bytes, tag };
    this.#pending.push(entry);
    this.#pendingBytes += bytes.length;
    return entry;
  }

  /** The write was applied, and with it every earlier one, since no gap is ever applied. Gives what is settled by that. */
  applied(entry: InputEntry<Tag>): InputEntry<Tag>[] {
    const index = this.#pending.indexOf(entry);
    return index < 0 ? [] : this.#remove(0, index + 1);
  }

  /** The write was refused for good: it is forgotten and the later ones move up, so that no gap is left. */
  refused(entry: InputEntry<Tag>): void {
    const index = this.#pending.indexOf(entry);
    if (index < 0) return;
    this.#remove(index, index + 1);
    for (const later of this.#pending.slice(index)) later.seq -= 1;
    this.#lastSeq -= 1;
  }

  /** After a break: the server has applied `lastSeq`. Gives what is settled by that; what is left must be sent again, as numbered. */
  resume(lastSeq: number): InputEntry<Tag>[] {
    const settled = this.#remove(0, this.#pending.filter((entry) => entry.seq <= lastSeq).length);
    let seq = lastSeq;
    for (const entry of this.#pending) entry.seq = seq += 1;
    this.#lastSeq = seq;
    return settled;
  }

  /** Forgets everything, numbers included: for a new viewer, or none. Gives what was waiting. */
  clear(): InputEntry<Tag>[] {
    this.#lastSeq = 0;
    return this.#remove(0, this.#pending.length);
  }

  #remove(start: number, end: number): InputEntry<Tag>[] {
    const removed = this.#pending.splice(start, end - start);
    for (const entry of removed) this.#pendingBytes -= entry.bytes.length;
    return removed;
  }
}
