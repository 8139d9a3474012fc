/** Reads what a holder recorded about the end of an epoch. */
import { readJson } from './atomic-file.js';

/** The form of `exit.json`; same as `ExitRecord` of the attach protocol. */
export interface StoredExit {
  readonly sessionId: string;
  readonly epoch: number;
  readonly exit: { readonly code: number } | { readonly signal: string };
  readonly endedAt: string;
  readonly offset: number;
}

/** The record, or undefined when the epoch has not ended (or ended unrecorded, with its holder). */
export function readExitRecord(path: string): StoredExit | undefined {
  const value = readJson(path);
  return value === undefined ? undefined : parseExitRecord(value);
}

function parseExitRecord(value: unknown): StoredExit | undefined {
  const record = value as Partial<StoredExit> | null;
  if (typeof record !== 'object' || record === null) return undefined;
  const { sessionId, epoch, exit, endedAt, offset } = record;
  if (typeof sessionId !== 'string' || typeof epoch !== 'number' || typeof endedAt !== 'string' || typeof offset !== 'number')
    return undefined;
  if (typeof exit !== 'object' || !('code' in exit || 'signal' in exit)) return undefined;
  return { sessionId, epoch, exit, endedAt, offset };
}
