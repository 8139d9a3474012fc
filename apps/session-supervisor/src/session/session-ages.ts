/** How old a session is, by clocks that nobody sets. */
import type { Clock } from '../host/clock.js';
import type { BootMoment, Manifest } from '../manifest/manifest.schema.js';
import { normaliseSpec } from '../manifest/session-spec.js';
import type { ProcessRef } from '../processes/process-snapshot.js';

/** USER_HZ: the kernel shows start times in hundredths of a second on every machine we run on. */
const MS_PER_TICK = 10;

export interface SessionAges {
  /** Since the create; null = unknown. */
  readonly ageMs: number | null;
  /** Since the last repetition of the create; absent = never repeated. */
  readonly renewedAgoMs?: number | null;
}

export function agesOf(manifest: Manifest, now: BootMoment): SessionAges {
  const { createdBoot, renewedBoot } = manifest;
  return { ageMs: elapsedMs(createdBoot, now), ...(renewedBoot ? { renewedAgoMs: elapsedMs(renewedBoot, now) } : {}) };
}

/** The same create again is a sign of life from a service that gave its session a time to live. */
export function isRenewable(manifest: Manifest): boolean {
  const { owner, ttlMs } = normaliseSpec(manifest.spec, manifest.backend);
  return manifest.end === undefined && ttlMs !== undefined && owner.startsWith('service:');
}

/** When a process started, however long before us. */
export function startMomentOf(leader: ProcessRef, clock: Clock): { readonly bootMs: number; readonly wallTime: string } {
  const nowMs = clock.bootMs();
  const bootMs = Math.min(leader.startTime * MS_PER_TICK, nowMs);
  return { bootMs, wallTime: new Date(Date.parse(clock.wallTime()) - (nowMs - bootMs)).toISOString() };
}

function elapsedMs(since: BootMoment, now: BootMoment): number | null {
  return since.bootId === now.bootId ? Math.max(0, now.ms - since.ms) : null;
}
