/** Starts holder processes: detached, with a clean environment, known by their record before and after the spawn. */
import { INHERITED_VARIABLES } from '@holdfast/domain-session';
import { ServiceError, newId, withDeadline } from '@holdfast/kernel';
import { processIdentity, type StateLayout } from '@holdfast/platform-session-store';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { installBundle, type InstalledBundle } from './holder-bundle.js';
import type { HolderRecord, HolderRecordRepository } from './holder-records.repository.js';

/** Measured: 40 to 50 ms; a loaded machine takes longer. */
export const START_DEADLINE_MS = 10_000;
const READY_DESCRIPTOR = 3;

export interface LauncherOptions {
  readonly bundle: string;
  readonly layout: StateLayout;
  readonly runtimeDir: string;
  readonly environment: NodeJS.ProcessEnv;
}

export class HolderLauncher {
  private installed: InstalledBundle | undefined;

  constructor(
    private readonly options: LauncherOptions,
    private readonly records: HolderRecordRepository,
  ) {}

  /** Whether new holders are of another build; false while that cannot be known (the bundle is missing). */
  isOutdated(build: string): boolean {
    try {
      return this.bundle().build !== build;
    } catch {
      return false;
    }
  }

  /** A record for a holder that is not started yet; nothing is written. @throws ServiceError `holder.start-failed`. */
  draft(capacity: number): HolderRecord {
    const { layout, runtimeDir } = this.options;
    const { build } = this.bundle();
    return { holderId: newId(), nonce: randomBytes(24).toString('hex'), stateDir: layout.stateDir, runtimeDir, capacity, build };
  }

  /**
   * Resolves once its socket accepts. One that does not get so far is killed and its record removed.
   * @throws ServiceError `holder.start-failed`.
   */
  async start(draft: HolderRecord): Promise<HolderRecord> {
    this.records.save(draft);
    const child = this.spawn(draft.holderId);
    const identity = child.pid === undefined ? undefined : processIdentity(child.pid);
    const record = identity ? { ...draft, identity } : draft;
    if (identity) this.records.save(record);
    try {
      await withDeadline(readiness(child), START_DEADLINE_MS, `start of holder ${draft.holderId}`, 'holder.start-failed');
      return record;
    } catch (error) {
      child.kill('SIGKILL');
      this.records.remove(draft.holderId);
      throw ServiceError.from(error);
    } finally {
      child.stdio[READY_DESCRIPTOR]?.destroy();
      child.unref();
    }
  }

  private bundle(): InstalledBundle {
    this.installed ??= installBundle(this.options.bundle, this.options.layout);
    return this.installed;
  }

  private spawn(holderId: string): ChildProcess {
    const log = openSync(this.options.layout.holderLogFile(holderId), 'a', 0o600);
    try {
      return spawn(process.execPath, [this.bundle().program, this.records.pathOf(holderId)], {
        cwd: '/',
        detached: true,
        env: holderEnvironment(this.options.environment),
        stdio: ['ignore', log, log, 'pipe'],
      });
    } finally {
      closeSync(log);
    }
  }
}

/** What sessions inherit comes through the holder, so that it must not have more than they may see. */
function holderEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = Object.keys(environment).filter((name) => INHERITED_VARIABLES.includes(name) || name === 'LANG' || name.startsWith('LC_'));
  return Object.fromEntries(names.map((name) => [name, environment[name]]));
}

function readiness(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new ServiceError('holder.start-failed', `the holder ${why} before it was ready`));
    child.once('error', (error) => fail(`could not be started (${error.message})`));
    child.once('exit', (code, signal) => fail(`ended (${signal ?? String(code)})`));
    const pipe = child.stdio[READY_DESCRIPTOR] as Readable | undefined;
    let said = '';
    pipe?.on('data', (chunk: Buffer) => {
      said += chunk.toString('latin1');
      if (said.startsWith('ready\n')) resolve();
    });
    pipe?.on('error', () => {});
  });
}
