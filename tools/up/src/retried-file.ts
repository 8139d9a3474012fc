/** A file of facts that is replaced whole, so that a reader never sees half of it, and again and again while the disk takes none of it. */
import { writeFileAtomic } from '@holdfast/platform-session-store';
import { rmSync } from 'node:fs';

/** Readers wait for the facts of a restarted service; a full disk costs no more than a failed write each time. */
const RETRY_EVERY_MS = 500;

export class RetriedFile {
  private content: string | undefined;
  private retry: NodeJS.Timeout | undefined;

  constructor(
    private readonly path: string,
    /** A line for the person in front of the terminal: once when it cannot be written, once when it can again. */
    private readonly report: (line: string) => void,
  ) {}

  /** Written when this returns, or as soon as the disk takes it; until then the old content is there. Never throws. */
  write(content: string): void {
    this.content = content;
    this.attempt();
  }

  /** Nothing is tried any more. @throws the system's error when the file is there and cannot be removed. */
  remove(): void {
    this.content = undefined;
    this.settle();
    rmSync(this.path, { force: true });
  }

  private attempt(): void {
    if (this.content === undefined) return;
    try {
      writeFileAtomic(this.path, this.content);
      if (this.retry !== undefined) this.report(`${this.path} is written again`);
      this.settle();
    } catch (error) {
      if (this.retry !== undefined) return;
      this.report(`${(error as Error).message}; trying again until it can`);
      this.retry = setInterval(() => this.attempt(), RETRY_EVERY_MS);
      this.retry.unref();
    }
  }

  private settle(): void {
    clearInterval(this.retry);
    this.retry = undefined;
  }
}
