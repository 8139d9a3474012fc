/** Counts failed sign-ins per remote address. */

/** More failures than this within a minute are answered with 429. */
export const MAX_FAILURES_PER_MINUTE = 20;
const WINDOW_MS = 60_000;
/** Addresses remembered; beyond it the oldest is forgotten, so that memory stays bounded under any attack. */
const MAX_ADDRESSES = 10_000;

interface Failures {
  readonly since: number;
  count: number;
}

/**
 * Good credentials always pass: everybody behind one proxy shares an address, and one broken client must not lock out the rest.
 * Tokens are far too long to be guessed at any rate; this keeps the noise down.
 */
export class FailedAuthLimiter {
  private readonly byAddress = new Map<string, Failures>();

  /** `now` in milliseconds that only grow. */
  constructor(private readonly now: () => number) {}

  /** Counts one failure. Milliseconds until the address is heard again, 0 while it is below the limit. */
  recordFailure(address: string): number {
    const now = this.now();
    const failures = this.current(address, now);
    failures.count += 1;
    return failures.count > MAX_FAILURES_PER_MINUTE ? failures.since + WINDOW_MS - now : 0;
  }

  private current(address: string, now: number): Failures {
    const known = this.byAddress.get(address);
    if (known !== undefined && now - known.since < WINDOW_MS) return known;
    const fresh = { since: now, count: 0 };
    this.byAddress.delete(address);
    this.byAddress.set(address, fresh);
    if (this.byAddress.size > MAX_ADDRESSES) this.byAddress.delete(this.byAddress.keys().next().value as string);
    return fresh;
  }
}
