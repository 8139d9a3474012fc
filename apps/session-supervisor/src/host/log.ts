/** One JSON object a line on standard error: what happened, with ids and numbers; never bytes, environments or tokens. */
import type { LoggerService } from '@nestjs/common';

export type LogFacts = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Log {
  info(event: string, facts?: LogFacts): void;
  warn(event: string, facts?: LogFacts): void;
  error(event: string, facts?: LogFacts): void;
}

export class JsonLog implements Log, LoggerService {
  constructor(private readonly write: (line: string) => void = (line) => process.stderr.write(line)) {}

  info(event: string, facts: LogFacts = {}): void {
    this.line('info', event, facts);
  }
  warn(event: string, facts: LogFacts = {}): void {
    this.line('warn', event, facts);
  }
  error(event: string, facts: LogFacts = {}): void {
    this.line('error', event, facts);
  }
  fatal(event: string, facts: LogFacts = {}): void {
    this.line('fatal', event, facts);
  }
  /** Nest's own start-up chatter is dropped; its warnings and errors come by `warn` and `error`. */
  log(): void {}

  private line(level: string, event: string, facts: LogFacts): void {
    const known = typeof facts === 'object' ? facts : { context: String(facts) };
    this.write(
      `${JSON.stringify({ time: new Date().toISOString(), level, service: 'session-supervisor', event: String(event), ...known })}\n`,
    );
  }
}
