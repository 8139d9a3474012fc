/** Deadlines for every wait that crosses a process (rule Y2). */
import { ServiceError } from './service-error.js';
import type { ErrorCode } from './error-codes.js';

declare function setTimeout(callback: () => void, ms: number): unknown;
declare function clearTimeout(handle: unknown): void;

/**
 * Settles as `work` does, or rejects with `code` after `ms` milliseconds. The work itself is not cancelled:
 * what still runs afterwards is the caller's to know.
 */
export function withDeadline<T>(work: Promise<T>, ms: number, what: string, code: ErrorCode = 'deadline.exceeded'): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new ServiceError(code, `${what}: no answer within ${ms} ms`, { detail: { deadlineMs: ms } })),
      ms,
    );
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
