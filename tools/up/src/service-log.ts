/** The log file of one service: JSON lines, bounded by keeping one older file. A disk that takes none loses lines, nothing else. */
import { closeSync, constants, fstatSync, ftruncateSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** A crash loop must not fill the disk: at this size the file becomes the older one. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;
/** Lines kept in memory, to say why a service did not start. */
const KEPT_LINES = 20;
/** At the end whatever happens to the file: people empty a log to make room on a full disk. */
const APPEND_TO_EMPTY = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND;

export class ServiceLog {
  /** Undefined while the file cannot be opened; the next line tries again. */
  private fd: number | undefined;
  /** The last lines of a service may come after its exit. */
  private isClosed = false;
  private written = 0;
  private lost = 0;
  private readonly lastLines: string[] = [];

  /** The file of the last run becomes `<path>.1`. Never throws. */
  constructor(
    private readonly path: string,
    private readonly service: string,
    private readonly echo?: (line: string) => void,
  ) {
    attempt(() => this.open());
  }

  /**
   * A line as the service printed it; what is no JSON (a crash report) becomes a JSON line. Never throws: a line that cannot be
   * written is lost and counted, and the count stands before the next one that can.
   */
  write(line: string): void {
    if (this.isClosed || line.trim() === '') return;
    this.lastLines.push(line);
    if (this.lastLines.length > KEPT_LINES) this.lastLines.shift();
    const text = line.startsWith('{') ? `${line}\n` : this.jsonLine(line);
    if (!attempt(() => this.append(this.lost === 0 ? text : this.jsonLine(lossOf(this.lost)) + text))) this.lost += 1;
    this.echo?.(text);
  }

  /** The newest lines, oldest first; those that could not be written too. */
  tail(): readonly string[] {
    return this.lastLines;
  }

  close(): void {
    this.isClosed = true;
    this.closeFile();
  }

  private append(text: string): void {
    const fd = this.fd ?? this.open();
    const bytes = Buffer.from(text);
    const taken = writeSync(fd, bytes);
    if (taken < bytes.length) {
      ftruncateSync(fd, Math.max(0, fstatSync(fd).size - taken));
      throw new Error(`${taken} of ${bytes.length} bytes written`);
    }
    this.lost = 0;
    this.written += taken;
    if (this.written > MAX_LOG_BYTES) this.closeFile();
  }

  private jsonLine(message: string): string {
    return `${JSON.stringify({ service: this.service, message })}\n`;
  }

  private open(): number {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    try {
      renameSync(this.path, `${this.path}.1`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    this.written = 0;
    this.fd = openSync(this.path, APPEND_TO_EMPTY, 0o600);
    return this.fd;
  }

  private closeFile(): void {
    const { fd } = this;
    this.fd = undefined;
    if (fd !== undefined) attempt(() => closeSync(fd));
  }
}

function lossOf(lines: number): string {
  return `${lines} ${lines === 1 ? 'line' : 'lines'} before this one could not be written and ${lines === 1 ? 'is' : 'are'} lost`;
}

function attempt(action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
