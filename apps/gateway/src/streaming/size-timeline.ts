/** Which size a terminal had at which output offset, for the stretch of output that is at hand. */
import type { Resize, TerminalSize } from '@holdfast/domain-session';

/**
 * A resize at offset R is in effect from R on: bytes below R were written to the earlier size.
 * Two resizes at one offset count as the later one.
 */
export class SizeTimeline {
  private resizes: Resize[] = [];

  constructor(private base: TerminalSize) {}

  /** `resize.offset` must not be lower than that of the newest one. An equal size changes nothing. */
  append(resize: Resize): void {
    if (sameSize(this.sizeAt(resize.offset), resize)) return;
    if (this.resizes.at(-1)?.offset === resize.offset) this.resizes.pop();
    this.resizes.push(resize);
  }

  sizeAt(offset: number): TerminalSize {
    const { cols, rows } = this.resizes.findLast((resize) => resize.offset <= offset) ?? this.base;
    return { cols, rows };
  }

  /** Offset of the first resize beyond `offset`; Infinity when there is none. */
  nextAfter(offset: number): number {
    return this.resizes.find((resize) => resize.offset > offset)?.offset ?? Infinity;
  }

  /** Forgets what was in effect only below `offset`. */
  dropBefore(offset: number): void {
    this.base = this.sizeAt(offset);
    this.resizes = this.resizes.filter((resize) => resize.offset > offset);
  }
}

export function sameSize(a: TerminalSize, b: TerminalSize): boolean {
  return a.cols === b.cols && a.rows === b.rows;
}
