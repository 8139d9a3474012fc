/** The times a task service needs: ages from the boot clock, waits from the monotonic one, the wall clock for people and other hosts. */
import type { BootMoment } from '@holdfast/domain-task';
import { readFileSync } from 'node:fs';

export interface Clock {
  /** Milliseconds; never jumps. */
  monotonicMs(): number;
  bootMoment(): BootMoment;
  /** ISO 8601, `aheadMs` from now. */
  wallTime(aheadMs?: number): string;
}

let bootId: string | undefined;

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  bootMoment: () => {
    bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { bootId, ms: Math.round(Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000) };
  },
  wallTime: (aheadMs = 0) => new Date(Date.now() + aheadMs).toISOString(),
};
