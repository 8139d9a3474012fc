/** The reservation of a launch: one process at a time drives it, and one that died is succeeded. */
import { ageOf, type BootMoment } from './boot-moment.js';

/** A reservation that nobody renewed for this long is anybody's, in milliseconds. */
export const RESERVATION_MS = 10 * 60_000;

export interface Reservation {
  /** Random per process. */
  readonly token: string;
  /** Of the reservation or its last renewal. */
  readonly at: BootMoment;
}

/** `starting`: this process has just started, and the store serves one process: whoever reserved before it is gone. */
export function mayReserve(
  current: Reservation | undefined,
  claim: { readonly token: string; readonly now: BootMoment; readonly starting: boolean },
): boolean {
  if (!current || current.token === claim.token || claim.starting) return true;
  return ageOf(current.at, claim.now) > RESERVATION_MS;
}
