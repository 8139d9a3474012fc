/** Reads a session out of a beat, and corrects it by what a probe found. */
import type { CommandAnswer, HostBeat } from '@holdfast/contracts';
import { KEEP_LABEL, type InventorySession } from '@holdfast/domain-liveness';

export type BeatSession = HostBeat['sessions'][number];
export type ProbeAnswer = CommandAnswer<'session-supervisor', 'probe'>;

/** What an older supervisor does not say is read so that nothing is reaped for it. */
export function inventorySession(session: BeatSession): InventorySession {
  return {
    sessionId: session.id,
    epoch: session.epoch,
    state: session.state,
    owner: session.owner,
    taskId: session.taskId,
    ageMs: session.ageMs,
    renewedAgoMs: session.renewedAgoMs,
    ttlMs: session.ttlMs,
    keep: session.keep ?? false,
    recorded: session.recorded ?? true,
    ownerGone: session.ownerGone ?? false,
  };
}

/** Ages of a probe are newer than the beat's, and only they count from then on. */
export function probedSession(session: InventorySession, probe: ProbeAnswer): InventorySession {
  const now = probe.session;
  return {
    ...session,
    ageMs: probe.ageMs,
    renewedAgoMs: probe.renewedAgoMs === undefined ? session.renewedAgoMs : probe.renewedAgoMs,
    ...(now ? { state: now.state, owner: now.owner, taskId: now.taskId, keep: session.keep || Object.hasOwn(now.labels, KEEP_LABEL) } : {}),
  };
}
