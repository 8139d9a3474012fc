/** How long an event that came before its task is put off. */

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 15_000;
/** An event whose task has not come by then is rejected, in milliseconds. */
export const MAX_EARLY_MS = 10 * 60_000;

export type RedeliveryVerdict = { readonly do: 'delay'; readonly ms: number } | { readonly do: 'give-up' };

/** `deliveries` counts from 1. Delays double up to 15 s; what they add up to is what was waited: no clock is asked. */
export function decideRedelivery(deliveries: number): RedeliveryVerdict {
  let waitedMs = 0;
  let delayMs = FIRST_DELAY_MS;
  for (let delivery = 1; delivery < deliveries && waitedMs < MAX_EARLY_MS; delivery += 1) {
    waitedMs += delayMs;
    delayMs = Math.min(delayMs * 2, MAX_DELAY_MS);
  }
  return waitedMs >= MAX_EARLY_MS ? { do: 'give-up' } : { do: 'delay', ms: Math.min(delayMs, MAX_EARLY_MS - waitedMs) };
}
