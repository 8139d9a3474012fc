/** What every host last said of its sessions, and since when we hear it. */
import type { HostBeat } from '@holdfast/contracts';
import { deafen, hear, heardAgoMs, isLive, type HearingLimits, type InventorySession, type LastHeard } from '@holdfast/domain-liveness';
import { inventorySession } from './inventory-session.js';

export interface HeardHost {
  readonly hostId: string;
  readonly heard: LastHeard;
  readonly sessions: readonly InventorySession[];
  readonly liveSessions: number;
}

/** A host silent for this long is no longer shown: it was taken out of service. */
export const FORGET_HOST_AFTER_MS = 3_600_000;

export class HostInventory {
  private readonly byHost = new Map<string, HeardHost>();

  constructor(private readonly limits: HearingLimits) {}

  /** Beats that tell nothing new (a repeat, a supervisor that was replaced) change nothing. */
  take(beat: HostBeat, now: number): void {
    const known = this.byHost.get(beat.hostId);
    const heard = hear(known?.heard, beat, now, this.limits);
    if (heard === known?.heard) return;
    const sessions = beat.sessions.map(inventorySession);
    const liveSessions = sessions.filter(({ state }) => isLive(state)).length;
    this.byHost.set(beat.hostId, { hostId: beat.hostId, heard, sessions, liveSessions });
  }

  /** We could not hear: nothing known counts until enough beats have come again. */
  deafen(): void {
    for (const host of this.byHost.values()) this.byHost.set(host.hostId, { ...host, heard: deafen(host.heard) });
  }

  hosts(now: number): readonly HeardHost[] {
    for (const { hostId, heard } of this.byHost.values()) {
      if (heardAgoMs(heard, now) > FORGET_HOST_AFTER_MS) this.byHost.delete(hostId);
    }
    return [...this.byHost.values()];
  }
}
