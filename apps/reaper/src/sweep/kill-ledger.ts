/** Remembers failed kills, so that each is tried again after a growing pause and none is hidden. */
import { killPauseMs, MAX_KILL_PAUSE_MS } from '@holdfast/domain-liveness';
import type { Handle } from './supervisor.port.js';

interface Failure {
  readonly failures: number;
  readonly atMs: number;
}

export class KillLedger {
  private readonly byHandle = new Map<string, Failure>();

  /** Undefined: it may be tried now. */
  pause(handle: Handle, now: number): { readonly failures: number; readonly leftMs: number } | undefined {
    const failure = this.byHandle.get(keyOf(handle));
    if (!failure) return undefined;
    const leftMs = failure.atMs + killPauseMs(failure.failures) - now;
    return leftMs > 0 ? { failures: failure.failures, leftMs } : undefined;
  }

  failed(handle: Handle, now: number): void {
    const failures = (this.byHandle.get(keyOf(handle))?.failures ?? 0) + 1;
    this.byHandle.set(keyOf(handle), { failures, atMs: now });
  }

  succeeded(handle: Handle): void {
    this.byHandle.delete(keyOf(handle));
  }

  /** Forgets what has not been tried for twice the longest pause: it is gone. */
  prune(now: number): void {
    for (const [key, { atMs }] of this.byHandle) if (now - atMs > 2 * MAX_KILL_PAUSE_MS) this.byHandle.delete(key);
  }
}

const keyOf = ({ hostId, sessionId, epoch }: Handle): string => `${hostId}/${sessionId}/${epoch}`;
