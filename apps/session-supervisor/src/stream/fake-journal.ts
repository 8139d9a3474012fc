/** A journal in memory, for specs: same answers as the real one. */
import type { Resize } from '@holdfast/domain-session';
import type { JournalRead } from '@holdfast/platform-session-store';
import type { Journal } from './journal.port.js';

export class FakeJournal implements Journal {
  earliest = 0;
  /** Not recorded: [from, to). */
  hole: { readonly from: number; readonly to: number } | undefined;
  resizes: Resize[] = [{ offset: 0, cols: 80, rows: 24 }];

  constructor(public bytes: Buffer = Buffer.alloc(0)) {}

  earliestOffset(): number {
    return this.earliest;
  }
  endOffset(): number {
    return this.bytes.length;
  }
  sizes(): readonly Resize[] {
    return this.resizes;
  }
  async read(offset: number, maxBytes: number): Promise<JournalRead> {
    if (offset < this.earliest) return { kind: 'pruned', earliestOffset: this.earliest };
    if (this.hole && offset >= this.hole.from && offset < this.hole.to) return { kind: 'gap', from: offset, to: this.hole.to };
    if (offset >= this.bytes.length) return { kind: 'end', endOffset: this.bytes.length };
    const end = Math.min(offset + maxBytes, this.hole && offset < this.hole.from ? this.hole.from : this.bytes.length);
    return { kind: 'bytes', bytes: this.bytes.subarray(offset, end) };
  }
}
