/** One JSON object a line on standard error: what happened, with ids and numbers; never bytes, environments or tokens. */

export type LogFacts = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Log {
  info(event: string, facts?: LogFacts): void;
  warn(event: string, facts?: LogFacts): void;
  error(event: string, facts?: LogFacts): void;
}

/** Fits where Nest wants a logger: its warnings and errors come through, its start-up chatter does not. */
export class JsonLog implements Log {
  constructor(
    private readonly service: string,
    private readonly write: (line: string) => void = (line) => process.stderr.write(line),
  ) {}

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
  log(): void {}

  private line(level: string, event: string, facts: LogFacts): void {
    const known = typeof facts === 'object' ? facts : { context: String(facts) };
    this.write(`${JSON.stringify({ time: new Date().toISOString(), level, service: this.service, event: String(event), ...known })}\n`);
  }
}
