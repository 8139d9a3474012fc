/** Keeps this host's entry in the hosts' bucket: written at every connect, and when it has changed. */
import type { HostEntry } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../host/clock.js';
import type { Log } from '@holdfast/platform-observability';

/** How often it is compared with what was written. */
const LOOK_INTERVAL_MS = 1_000;

export interface HostEntryOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** `Bucket` is the real one. */
  readonly bucket: { put(key: string, value: unknown): Promise<void> };
  entry(): Omit<HostEntry, 'at'>;
}

export class HostEntryWriter {
  private written: Omit<HostEntry, 'at'> | undefined;
  private writing = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: HostEntryOptions) {}

  start(): void {
    this.timer = setInterval(() => void this.writeIfChanged(), LOOK_INTERVAL_MS);
    void this.writeIfChanged();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** The broker may be another, or have lost its buckets. */
  brokerBack(): void {
    this.written = undefined;
    void this.writeIfChanged();
  }

  private async writeIfChanged(): Promise<void> {
    const { bucket, clock, log } = this.options;
    const entry = this.options.entry();
    if (this.writing || isDeepStrictEqual(entry, this.written)) return;
    this.writing = true;
    try {
      await bucket.put(entry.hostId, { ...entry, at: clock.wallTime() } satisfies HostEntry);
      this.written = entry;
    } catch (error) {
      const { code } = ServiceError.from(error);
      if (code !== 'service.unreachable') log.warn('host-entry.not-written', { why: code });
    } finally {
      this.writing = false;
    }
  }
}
