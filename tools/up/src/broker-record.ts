/** Which process is the broker on a store: two at once would ruin it, so the one a killed `up` left is ended before the next starts. */
import { ServiceError } from '@holdfast/kernel';
import { livenessOf, processIdentity, readText } from '@holdfast/platform-session-store';
import { setTimeout as pause } from 'node:timers/promises';
import { RetriedFile } from './retried-file.js';

/** A killed process is gone at once, unless it waits for a disk. */
const GONE_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 10;

type Identity = Parameters<typeof livenessOf>[0];

export class BrokerRecord {
  private readonly file: RetriedFile;

  constructor(
    private readonly path: string,
    private readonly report: (line: string) => void,
  ) {
    this.file = new RetriedFile(path, report);
  }

  /** To be called as soon as the process is there. Never throws. */
  set(pid: number): void {
    const identity = processIdentity(pid);
    if (identity !== undefined) this.file.write(`${JSON.stringify(identity)}\n`);
  }

  /** To be called when the broker has ended for good. */
  remove(): void {
    this.file.remove();
  }

  /**
   * Kills the recorded process, and no other that has its pid by now. Resolves once it is gone.
   * @throws ServiceError `instance.in-use` when it is still there 10 s later.
   */
  async endPredecessor(): Promise<void> {
    const identity = parseIdentity(readText(this.path));
    if (identity === undefined || livenessOf(identity) === 'dead') return;
    this.report(`ending the NATS server of an earlier start (pid ${identity.pid})`);
    const end = performance.now() + GONE_WITHIN_MS;
    if (livenessOf(identity) === 'alive') kill(identity.pid);
    while (livenessOf(identity) !== 'dead') {
      if (performance.now() >= end)
        throw new ServiceError('instance.in-use', `the NATS server of an earlier start (pid ${identity.pid}) does not end`);
      await pause(LOOK_EVERY_MS);
    }
  }
}

/** One that ended meanwhile, or may not be killed, is seen by its being there. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

/** Undefined for a file that is missing or was cut by a crash of the machine: its broker is gone with that. */
function parseIdentity(text: string | undefined): Identity | undefined {
  try {
    const { bootId, pid, startTime } = JSON.parse(text ?? '') as Partial<Identity>;
    if (typeof bootId !== 'string' || typeof startTime !== 'number') return undefined;
    return typeof pid === 'number' && pid > 0 ? { bootId, pid, startTime } : undefined;
  } catch {
    return undefined;
  }
}
