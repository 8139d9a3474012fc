/** Moments on the boot clock: ages that no change of the wall clock touches. */

export interface BootMoment {
  /** Random per boot of the machine. */
  readonly bootId: string;
  /** Milliseconds since that boot. */
  readonly ms: number;
}

/**
 * Milliseconds from `moment` to `now`. How long the machine was off is not known: of a moment of an earlier boot
 * this is the least it can be, the time since the present boot.
 */
export function ageOf(moment: BootMoment, now: BootMoment): number {
  return Math.max(0, moment.bootId === now.bootId ? now.ms - moment.ms : now.ms);
}

export function formatBootMoment({ bootId, ms }: BootMoment): string {
  return `${bootId} ${ms}`;
}

/** Undefined for a text that `formatBootMoment` did not make. */
export function parseBootMoment(text: string): BootMoment | undefined {
  const [bootId, ms, ...rest] = text.split(' ');
  if (bootId === undefined || bootId === '' || ms === undefined || !/^\d+$/.test(ms) || rest.length > 0) return undefined;
  return { bootId, ms: Number(ms) };
}
