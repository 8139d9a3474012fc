/** Reads a stream of counted lines (0, 1, 2, …) without keeping it, and notices the first number that is not the next. */
export class FloodReader {
  private rest = '';
  private next = 0;
  private offset: number | undefined;
  private firstFault: string | undefined;

  /** Numbers read so far. */
  get count(): number {
    return this.next;
  }

  /** What was wrong first, or undefined while every number followed the one before. */
  get fault(): string | undefined {
    return this.firstFault;
  }

  take(bytes: Uint8Array, offset: number): void {
    if (this.offset !== undefined && offset !== this.offset) this.firstFault ??= `bytes at offset ${offset}, expected ${this.offset}`;
    this.offset = offset + bytes.length;
    const lines = (this.rest + Buffer.from(bytes).toString('latin1')).split('\r\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== String(this.next)) this.firstFault ??= `"${line.slice(0, 80)}" where ${this.next} was next`;
      this.next += 1;
    }
  }
}
