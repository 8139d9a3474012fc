/** Tells failures of the storage from everything else, so that a locked or full database is one typed error. */
import { ServiceError } from '@holdfast/kernel';

/** Whatever the database or its client threw, as `storage.failed`; a `ServiceError` of our own stays what it is. */
export function storageFailure(thrown: unknown, what: string): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  return new ServiceError('storage.failed', `the task store ${reasonOf(thrown)} (${what})`, { cause: thrown });
}

/** An error of the driver or of the client around it; anything else thrown in a unit of work is a fault of ours. */
export function isStorageError(thrown: unknown): boolean {
  return thrown instanceof Error && /^(PrismaClient|DriverAdapterError|SqliteError)/.test(thrown.name);
}

/** SQLite's own words come in different wrappings: by code from the driver, by text or kind from the client. */
function reasonOf(thrown: unknown): string {
  const text = textOf(thrown);
  if (isBusy(thrown)) return 'is locked by another process';
  if (/SQLITE_FULL|database or disk is full|"extendedCode":13\b/.test(text)) return 'is full';
  if (/SQLITE_READONLY|readonly database/.test(text)) return 'cannot be written';
  if (/SQLITE_CORRUPT|SQLITE_NOTADB|malformed|not a database/.test(text)) return 'is damaged';
  if (/SQLITE_CANTOPEN|unable to open/.test(text)) return 'cannot be opened';
  return 'failed';
}

/** Another process holds the database for longer than the busy timeout. */
export function isBusy(thrown: unknown): boolean {
  return /SQLITE_BUSY|database is locked|SocketTimeout/.test(textOf(thrown));
}

function textOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { code } = thrown as { readonly code?: unknown };
  const cause = thrown.cause === undefined ? '' : thrown.cause instanceof Error ? textOf(thrown.cause) : JSON.stringify(thrown.cause);
  return `${String(code ?? '')} ${thrown.message} ${cause}`;
}
