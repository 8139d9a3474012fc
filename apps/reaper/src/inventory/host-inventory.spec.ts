/** What beats leave in the inventory, and what a probe corrects. */
import { describe, expect, it } from '@jest/globals';
import type { HostBeat } from '@holdfast/contracts';
import { FORGET_HOST_AFTER_MS, HostInventory } from './host-inventory.js';
import { inventorySession, probedSession, type BeatSession } from './inventory-session.js';

const session: BeatSession = {
  id: 's1',
  epoch: 1,
  owner: 'service:x',
  backend: 'holder',
  state: 'running',
  pid: 7,
  ageMs: 1_000,
  lastOutputAgoMs: null,
  viewers: 0,
};
const beat = (seq: number, sessions: readonly BeatSession[], term = 1): HostBeat => ({
  instance: 'default',
  hostId: 'h',
  bootId: 'b',
  term,
  seq,
  capacity: { sessions: 10, holders: 1 },
  sessions: [...sessions],
});
const limits = { silentAfterMs: 15_000, minBeats: 3 };

describe('HostInventory', () => {
  it('keeps the newest inventory of a host and counts the live ones', () => {
    const inventory = new HostInventory(limits);
    inventory.take(beat(1, [session]), 0);
    inventory.take(beat(2, [session, { ...session, id: 's2', state: 'exited' }, { ...session, id: 's3', state: 'unreachable' }]), 5_000);
    inventory.take(beat(1, []), 5_100);
    expect(
      inventory.hosts(5_200).map(({ heard, sessions, liveSessions }) => [heard.beats, sessions.map((one) => one.sessionId), liveSessions]),
    ).toEqual([[2, ['s1', 's2', 's3'], 2]]);
  });

  it('counts from the start after it was deaf, and forgets a host that is out of service', () => {
    const inventory = new HostInventory(limits);
    inventory.take(beat(1, []), 0);
    inventory.deafen();
    expect(inventory.hosts(0)[0]?.heard.beats).toBe(0);
    expect(inventory.hosts(FORGET_HOST_AFTER_MS + 1)).toEqual([]);
  });
});

describe('inventorySession', () => {
  it('reads what an older supervisor leaves out so that nothing is reaped for it', () => {
    expect(inventorySession(session)).toMatchObject({ keep: false, recorded: true, ownerGone: false, ttlMs: undefined });
  });
});

describe('probedSession', () => {
  it('takes ages and state from the probe, and never loses an exemption', () => {
    const before = { ...inventorySession({ ...session, ttlMs: 0, renewedAgoMs: 900 }), keep: true };
    expect(probedSession(before, { alive: 'alive', ageMs: 2_000, renewedAgoMs: 3 })).toMatchObject({
      ageMs: 2_000,
      renewedAgoMs: 3,
      keep: true,
    });
    expect(probedSession(before, { alive: 'alive', ageMs: null })).toMatchObject({ ageMs: null, renewedAgoMs: 900 });
  });
});
