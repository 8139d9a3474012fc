/** Watches how many columns and rows fit, and says so once it has come to rest. */
import type { TerminalSize } from '@holdfast/client';
import { FitAddon } from '@xterm/addon-fit';
import type { Terminal } from '@xterm/xterm';

/** A window that is being dragged settles first: each size makes every full-screen program paint anew. */
const DEBOUNCE_MS = 80;
/** What xterm keeps free at the right for its scroll bar, in pixels. */
const SCROLL_BAR_WIDTH = 14;
/** Smaller is a page that is not laid out yet, or folded away. */
const SMALLEST = 2;

export class FittedSize {
  readonly #fit = new FitAddon();
  readonly #terminal: Terminal;
  readonly #host: HTMLElement;
  readonly #observer: ResizeObserver;
  readonly #changed: (size: TerminalSize) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last: TerminalSize | undefined;

  /** `changed` hears each new size once, and never an equal one. */
  constructor(terminal: Terminal, host: HTMLElement, changed: (size: TerminalSize) => void) {
    this.#terminal = terminal;
    this.#host = host;
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
    const rows = this.#fit.proposeDimensions()?.rows ?? 0;
    const cols = Math.floor((this.#host.clientWidth - SCROLL_BAR_WIDTH) / characterWidth(this.#terminal));
    return rows >= SMALLEST && cols >= SMALLEST ? { cols, rows } : undefined;
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

/**
 * The addon divides by a width that was rounded for the present number of columns, so that its answer depends on the size
 * it is asked about, and a page that is loaded again asks for one column more or less. This is what xterm itself measures.
 */
function characterWidth(terminal: Terminal): number {
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  if (context === null) return Number.NaN;
  context.font = `${terminal.options.fontSize}px ${terminal.options.fontFamily}`;
  return context.measureText('W').width;
}
