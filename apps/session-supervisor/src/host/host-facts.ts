/** Who this supervisor is: the host's id, made once, and a term that grows with each start. */
import { ServiceError, isId, newHostId } from '@holdfast/kernel';
import { overwriteFile, readText, writeFileAtomic, type StateLayout } from '@holdfast/platform-session-store';

export interface HostFacts {
  readonly hostId: string;
  /** Durable before anything says it: holders obey the highest. */
  readonly term: number;
}

/** Call it with the instance lock held. @throws ServiceError `storage.failed`. */
export function takeHostFacts(layout: StateLayout): HostFacts {
  return { hostId: hostIdOf(layout.hostIdFile), term: nextTerm(layout.termFile) };
}

function hostIdOf(file: string): string {
  const known = readText(file)?.trim();
  if (known !== undefined && isId(known)) return known;
  if (known) throw new ServiceError('storage.failed', `${file} holds no host id: repair or remove it`);
  const hostId = newHostId();
  writeFileAtomic(file, `${hostId}\n`);
  return hostId;
}

/** An unreadable term must not start over: holders would refuse every lower one. */
function nextTerm(file: string): number {
  const text = readText(file)?.trim();
  const last = text === undefined || text === '' ? 0 : Number(text);
  if (!Number.isSafeInteger(last) || last < 0) throw new ServiceError('storage.failed', `${file} holds no term: repair it`);
  const next = `${last + 1}\n`;
  try {
    writeFileAtomic(file, next);
  } catch (error) {
    // A full disk must not keep sessions from being served: what is there already has its place.
    if (text === undefined || text === '') throw error;
    overwriteFile(file, next);
  }
  return last + 1;
}
