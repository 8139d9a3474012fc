/** Writes a stream into xterm.js exactly and at its pace, and knows whether what it parses at the moment is replay. */
import { cutOutput, joined } from './output-pieces.js';

/** The part of a terminal that is written to. */
export interface WritableScreen {
  write(bytes: Uint8Array, parsed: () => void): void;
}

const NOTHING = new Uint8Array(0);

export class ScreenWriter {
  readonly #screen: WritableScreen;
  #held: Uint8Array = NOTHING;
  #replayUntil = Number.POSITIVE_INFINITY;
  #isReplaying = true;

  constructor(screen: WritableScreen) {
    this.#screen = screen;
  }

  /** True while output from before this terminal watched is being parsed. */
  get isReplaying(): boolean {
    return this.#isReplaying;
  }

  /** Output below `offset` is replay. Not known, as after a break: infinity. */
  replayUntil(offset: number): void {
    this.#replayUntil = offset;
  }

  /** Settles once all is parsed, save for an unfinished character at the end. */
  async write(bytes: Uint8Array, offset: number): Promise<void> {
    const { pieces, rest } = cutOutput(joined(this.#held, bytes), offset - this.#held.length, this.#replayUntil);
    this.#held = rest;
    for (const piece of pieces) {
      this.#isReplaying = piece.isReplay;
      await this.#parse(piece.bytes);
    }
  }

  /** A picture of the screen: whatever it holds, nobody is asked. */
  async writeSnapshot(snapshot: Uint8Array): Promise<void> {
    this.#isReplaying = true;
    await this.#parse(snapshot);
  }

  /** The stream ended: an unfinished character is shown as what it is. */
  async flush(): Promise<void> {
    const rest = this.#held;
    this.#held = NOTHING;
    if (rest.length > 0) await this.#parse(rest);
  }

  /** The stream starts again elsewhere. */
  restart(): void {
    this.#held = NOTHING;
  }

  #parse(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#screen.write(bytes, resolve));
  }
}
