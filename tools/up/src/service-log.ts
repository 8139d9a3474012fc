/** The log file of one service: JSON lines, bounded by keeping one older file. */
import { closeSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** A crash loop must not fill the disk: at this size the file becomes the older one. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;
/** Lines kept in memory, to say why a service did not start. */
const KEPT_LINES = 20;

export class ServiceLog {
  /** Undefined once closed: the last lines of a service may come after its exit. */
  private fd: number | undefined;
  private written = 0;
  private readonly lastLines: string[] = [];

  /** The file of the last run becomes `<path>.1`. */
  constructor(
    private readonly path: string,
    private readonly service: string,
    private readonly echo?: (line: string) => void,
  ) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.fd = this.open();
  }

  /** A line as the service printed it; what is no JSON (a crash report) becomes a JSON line. */
  write(line: string): void {
    if (this.fd === undefined || line.trim() === '') return;
    const text = `${line.startsWith('{') ? line : JSON.stringify({ service: this.service, message: line })}\n`;
    this.lastLines.push(line);
    if (this.lastLines.length > KEPT_LINES) this.lastLines.shift();
    this.written += writeSync(this.fd, text);
    if (this.written > MAX_LOG_BYTES) this.rotate();
    this.echo?.(text);
  }

  /** The newest lines, oldest first. */
  tail(): readonly string[] {
    return this.lastLines;
  }

  close(): void {
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = undefined;
  }

  private rotate(): void {
    this.close();
    this.fd = this.open();
    this.written = 0;
  }

  private open(): number {
    try {
      renameSync(this.path, `${this.path}.1`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    return openSync(this.path, 'w', 0o600);
  }
}
