/** Waits for a fact instead of sleeping: looks again and again until it holds or its deadline has passed. */
import { setTimeout as pause } from 'node:timers/promises';

export interface Deadline {
  /** For the error message: what did not come true. */
  readonly what: string;
  /** Default 10,000. */
  readonly withinMs?: number;
  /** Time between two looks; default 20. */
  readonly everyMs?: number;
}

/**
 * The first value of `fact` that is neither undefined, null nor false. A look that throws counts as "not yet";
 * its error is the `cause` when time runs out.
 */
export async function waitFor<T>(fact: () => T | Promise<T>, deadline: Deadline): Promise<Exclude<T, undefined | null | false>> {
  const withinMs = deadline.withinMs ?? 10_000;
  const end = performance.now() + withinMs;
  for (;;) {
    const look = await lookAt(fact);
    if ('value' in look) return look.value;
    if (performance.now() >= end) throw new Error(`not within ${withinMs} ms: ${deadline.what}`, { cause: look.error });
    await pause(deadline.everyMs ?? 20);
  }
}

type Look<T> = { readonly value: Exclude<T, undefined | null | false> } | { readonly error: unknown };

async function lookAt<T>(fact: () => T | Promise<T>): Promise<Look<T>> {
  try {
    const value = await fact();
    if (value === undefined || value === null || value === false) return { error: undefined };
    return { value: value as Exclude<T, undefined | null | false> };
  } catch (error) {
    return { error };
  }
}
