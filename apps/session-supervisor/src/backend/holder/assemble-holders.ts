/** Puts the holder backend together. */
import type { HoldfastConfig } from '@holdfast/platform-config';
import type { RuntimeLayout, StateLayout } from '@holdfast/platform-session-store';
import { systemClock } from '../../host/clock.js';
import { ProcProcessTable } from '../../processes/proc-process-table.adapter.js';
import { TreeKiller } from '../../processes/tree-killer.js';
import { HolderBackend } from './holder.backend.js';
import { HolderFleet } from './holder-fleet.js';
import { HolderRecordRepository } from './holder-records.repository.js';
import { HolderLauncher } from './launch/holder-launcher.js';
import { LocalHolderStarter } from './launch/local-holder-starter.adapter.js';
import { RemoteHolderStarter } from './launch/remote-holder-starter.adapter.js';
import type { OwnHello } from './open-channel.js';

export interface HolderInput {
  readonly config: HoldfastConfig;
  readonly environment: NodeJS.ProcessEnv;
  /** Path of `holder.cjs`, with `pty.node` beside it. */
  readonly holderBundle: string;
  readonly layout: StateLayout;
  readonly runtime: RuntimeLayout;
  readonly own: OwnHello;
}

export interface Holders {
  readonly backend: HolderBackend;
  readonly fleet: HolderFleet;
  readonly killer: TreeKiller;
}

export function assembleHolders({ config, environment, holderBundle, layout, runtime, own }: HolderInput): Holders {
  const records = new HolderRecordRepository(layout);
  const starter =
    config.holderLauncher === 'starter' ? new RemoteHolderStarter(runtime.starterSocket, own) : new LocalHolderStarter(layout, environment);
  const launcher = new HolderLauncher({ bundle: holderBundle, layout, runtimeDir: config.runtimeDir }, starter, records);
  const fleet = new HolderFleet({ own, runtime, clock: systemClock, sessionsPerHolder: config.sessionsPerHolder }, launcher, records);
  const holderPids = () => fleet.all().flatMap((member) => (member.record.identity ? [member.record.identity.pid] : []));
  const killer = new TreeKiller(new ProcProcessTable(layout.upStateFile, holderPids), systemClock);
  return { backend: new HolderBackend(fleet, runtime, own, killer), fleet, killer };
}
