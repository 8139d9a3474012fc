/** A log for tests that keeps the names of what happened. */
import type { Log } from '@holdfast/platform-observability';

export class FakeLog implements Log {
  readonly events: string[] = [];

  info(event: string): void {
    this.events.push(event);
  }
  warn(event: string): void {
    this.events.push(event);
  }
  error(event: string): void {
    this.events.push(event);
  }
}
