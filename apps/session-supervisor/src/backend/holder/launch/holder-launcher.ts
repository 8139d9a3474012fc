/** Starts holders of the newest build, known by their records before and after the spawn. */
import { ServiceError, newId } from '@holdfast/kernel';
import { processIdentity, type StateLayout } from '@holdfast/platform-session-store';
import { randomBytes } from 'node:crypto';
import type { HolderRecord, HolderRecordRepository } from '../holder-records.repository.js';
import { installBundle, removeBuildsExcept, type InstalledBundle } from './holder-bundle.js';
import type { HolderStarter } from './holder-starter.port.js';

export interface LauncherOptions {
  readonly bundle: string;
  readonly layout: StateLayout;
  readonly runtimeDir: string;
}

export class HolderLauncher {
  private installed: InstalledBundle | undefined;

  constructor(
    private readonly options: LauncherOptions,
    private readonly starter: HolderStarter,
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
   * Resolves once its socket accepts. The record of one that does not get so far is removed.
   * @throws ServiceError `holder.start-failed`.
   */
  async start(draft: HolderRecord): Promise<HolderRecord> {
    const { holderId, build } = draft;
    let record = draft;
    this.records.save(record);
    const onSpawned = (pid: number): void => {
      const identity = processIdentity(pid);
      if (!identity) return;
      record = { ...draft, identity };
      this.records.save(record);
    };
    try {
      await this.starter.start({ holderId, build, onSpawned });
      return record;
    } catch (error) {
      this.records.remove(holderId);
      throw ServiceError.from(error);
    }
  }

  /** Removes copies of builds that no holder was started from; the newest stays. */
  removeOldBuilds(records: readonly HolderRecord[]): void {
    const used = new Set(records.map((record) => record.build));
    try {
      used.add(this.bundle().build);
    } catch {
      return;
    }
    removeBuildsExcept(used, this.options.layout);
  }

  private bundle(): InstalledBundle {
    this.installed ??= installBundle(this.options.bundle, this.options.layout);
    return this.installed;
  }
}
