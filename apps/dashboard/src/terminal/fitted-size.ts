/** Watches how many columns and rows fit, and says so once it has come to rest. */
import type { TerminalSize } from '@holdfast/client';
import { FitAddon } from '@xterm/addon-fit';
import type { Terminal } from '@xterm/xterm';

/** A window that is being dragged settles first: each size makes every full-screen program paint anew. */
const DEBOUNCE_MS = 80;
/** Smaller is a page that is not laid out yet, or folded away. */
const SMALLEST = 2;

export class FittedSize {
  readonly #fit = new FitAddon();
  readonly #observer: ResizeObserver;
  readonly #changed: (size: TerminalSize) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last: TerminalSize | undefined;

  /** `changed` hears each new size once, and never an equal one. */
  constructor(terminal: Terminal, host: HTMLElement, changed: (size: TerminalSize) => void) {
    this.#changed = changed;
    terminal.loadAddon(this.#fit);
    this.#observer = new ResizeObserver(() => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#look(), DEBOUNCE_MS);
    });
    this.#observer.observe(host);
  }

  /** What fits now, if it can be told. */
  measure(): TerminalSize | undefined {
    const size = this.#fit.proposeDimensions();
    if (size === undefined || !(size.cols > SMALLEST) || !(size.rows > SMALLEST)) return undefined;
    return { cols: size.cols, rows: size.rows };
  }

  /** The session has this size already. */
  assume(size: TerminalSize): void {
    this.#last = size;
    this.#look();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#observer.disconnect();
  }

  #look(): void {
    const size = this.measure();
    if (this.#last === undefined || size === undefined) return;
    if (size.cols === this.#last.cols && size.rows === this.#last.rows) return;
    this.#last = size;
    this.#changed(size);
  }
}
