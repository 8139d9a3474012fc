/** The times a supervisor needs: ages from the boot clock, waits from the monotonic one, the wall clock for people only. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Clock {
  /** Milliseconds; never jumps. */
  monotonicMs(): number;
  /** Milliseconds since boot, the same for every process of the machine. */
  bootMs(): number;
  /** ISO 8601. */
  wallTime(): string;
  pause(ms: number): Promise<void>;
}

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  bootMs: () => Math.round(Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000),
  wallTime: () => new Date().toISOString(),
  pause: async (ms) => {
    await sleep(ms);
  },
};
