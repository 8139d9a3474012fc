/** The sizes of a terminal by output offset, put together from the journal and from live events, each resize once. */
import type { Resize, TerminalSize } from '@holdfast/domain-session';

/** Only grows, by offset: an index into it stays good. */
export class SizeTrack {
  private readonly sizes: Resize[];

  constructor(start: TerminalSize) {
    this.sizes = [{ offset: 0, cols: start.cols, rows: start.rows }];
  }

  get last(): Resize {
    return this.sizes.at(-1) as Resize;
  }

  /** Takes it up unless it is known: older than the newest, or no change. True when it was new. */
  add(size: Resize): boolean {
    const { last } = this;
    if (size.offset < last.offset || (size.cols === last.cols && size.rows === last.rows)) return false;
    this.sizes.push({ offset: size.offset, cols: size.cols, rows: size.rows });
    return true;
  }

  /** Index of the size in force for the byte at `offset`. */
  indexAt(offset: number): number {
    let index = this.sizes.findLastIndex((size) => size.offset <= offset);
    if (index < 0) index = 0;
    return index;
  }

  at(index: number): Resize | undefined {
    return this.sizes[index];
  }

  /** Resizes after `from`, up to and with `to`. */
  within(from: number, to: number): Resize[] {
    return this.sizes.filter((size) => size.offset > from && size.offset <= to);
  }
}
