/** A session in memory: its output, sizes and end, as the in-test supervisor serves them. */
import type { ExitView, ReadFacts, Session } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';

interface SizeChange {
  readonly offset: number;
  readonly cols: number;
  readonly rows: number;
}

/** Something of the session in its order: bytes, a resize, the exit. */
export type Entry =
  | { readonly kind: 'bytes'; readonly offset: number; readonly bytes: Buffer }
  | ({ readonly kind: 'resized' } & SizeChange)
  | { readonly kind: 'exit'; readonly offset: number; readonly exit: ExitView };

export class MemorySession {
  readonly entries: Entry[] = [];
  readonly input: { viewerId: string; seq: number; bytes: Buffer }[] = [];
  readonly lastSeqs = new Map<string, number>();
  epoch = 1;
  earliestOffset = 0;
  exit: ExitView | undefined;
  private content = Buffer.alloc(0);
  private readonly sizes: SizeChange[];
  private readonly listeners = new Set<() => void>();

  constructor(
    readonly sessionId: string,
    readonly spec: { readonly owner: string; readonly command: readonly string[]; readonly cols?: number; readonly rows?: number },
  ) {
    this.sizes = [{ offset: 0, cols: spec.cols ?? 120, rows: spec.rows ?? 40 }];
  }

  get output(): Buffer {
    return this.content;
  }

  get endOffset(): number {
    return this.content.length;
  }

  write(bytes: Buffer | string): void {
    const written = Buffer.from(bytes);
    this.append({ kind: 'bytes', offset: this.endOffset, bytes: written });
  }

  resize(cols: number, rows: number): number {
    const change = { offset: this.endOffset, cols, rows };
    this.sizes.push(change);
    this.append({ kind: 'resized', ...change });
    return change.offset;
  }

  end(exit: ExitView): void {
    this.exit = exit;
    this.append({ kind: 'exit', offset: this.endOffset, exit });
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  sizeAt(offset: number): { cols: number; rows: number } {
    const { cols, rows } = this.sizes.findLast((size) => size.offset <= offset) as SizeChange;
    return { cols, rows };
  }

  /** @throws ServiceError `session.stale-handle`. */
  requireEpoch(epoch: unknown): void {
    if (epoch !== undefined && epoch !== this.epoch)
      throw new ServiceError('session.stale-handle', `the epoch is ${this.epoch}`, { detail: { epoch: this.epoch } });
  }

  /** @throws ServiceError `session.output-pruned`, `session.output-beyond-end`. */
  read(from: number, limit: number): { facts: ReadFacts; bytes: Buffer } {
    const { earliestOffset, endOffset, epoch } = this;
    if (from < earliestOffset) throw new ServiceError('session.output-pruned', 'pruned', { detail: { earliestOffset } });
    if (from > endOffset) throw new ServiceError('session.output-beyond-end', 'beyond the end', { detail: { endOffset } });
    const bytes = this.content.subarray(from, from + limit);
    const nextOffset = from + bytes.length;
    const resizes = this.sizes.filter(({ offset }) => offset > from && offset <= nextOffset);
    return { facts: { epoch, offset: from, nextOffset, earliestOffset, endOffset, ...this.sizeAt(from), resizes }, bytes };
  }

  view(): Session {
    const { sessionId, epoch, spec, exit, endOffset: offset, earliestOffset } = this;
    return {
      sessionId,
      epoch,
      hostId: 'test-host',
      backend: 'holder',
      capabilities: { exactOutput: true, exactAfterGap: true, exitCode: true },
      state: exit === undefined ? 'running' : 'exited',
      pid: exit === undefined ? 4711 : null,
      ...this.sizeAt(offset),
      createdAt: '2026-01-01T00:00:00.000Z',
      startedAt: '2026-01-01T00:00:00.000Z',
      endedAt: exit === undefined ? null : '2026-01-01T00:00:01.000Z',
      offset,
      earliestOffset,
      owner: spec.owner,
      agentKind: 'command',
      command: [...spec.command],
      cwd: '/',
      labels: {},
      ...(exit === undefined ? {} : { exit }),
    };
  }

  private append(entry: Entry): void {
    this.entries.push(entry);
    if (entry.kind === 'bytes') this.content = Buffer.concat([this.content, entry.bytes]);
    for (const listener of this.listeners) listener();
  }
}
