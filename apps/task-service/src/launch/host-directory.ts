/** Which hosts can take a session now, by their beats; until the first one, by their entries in the hosts' bucket. */
import { BEAT_INTERVAL_MS, hostBeatEventSchema, hostEntrySchema, type HostBeat } from '@holdfast/contracts';
import type { Clock } from '../host/clock.js';

/** Three missed beats are silence. */
const SILENT_AFTER_MS = 3 * BEAT_INTERVAL_MS;

interface KnownHost {
  readonly hostId: string;
  readonly live: number;
  readonly capacity: number;
  /** Monotonic milliseconds. */
  readonly heardAt: number;
  /** Only its entry was read: it may be gone, and others are preferred. */
  readonly isHearsay: boolean;
  /** Sessions sent there since that beat. */
  placed: number;
}

export class HostDirectory {
  private readonly hosts = new Map<string, KnownHost>();

  constructor(
    private readonly instance: string,
    private readonly clock: Clock,
    /** A host that was unknown or silent is there. */
    private readonly onHost: () => void,
  ) {}

  /** Takes one event of the beats' subject; beats of other instances are ignored. */
  hear(event: unknown): void {
    const parsed = hostBeatEventSchema.safeParse(event);
    if (!parsed.success || parsed.data.data.instance !== this.instance) return;
    const { hostId, capacity, sessions } = parsed.data.data;
    const isNews = !this.isHeard(hostId) || this.hosts.get(hostId)?.isHearsay === true;
    this.hosts.set(hostId, {
      hostId,
      live: sessions.filter(isLive).length,
      capacity: capacity.sessions,
      heardAt: this.clock.monotonicMs(),
      isHearsay: false,
      placed: 0,
    });
    if (isNews) this.onHost();
  }

  /** A host's entry, which outlives the host: it saves the wait for the first beat, and says nothing of a host that was heard. */
  read(entry: unknown): void {
    const parsed = hostEntrySchema.safeParse(entry);
    if (!parsed.success) return;
    const { hostId, capacity } = parsed.data;
    if (this.hosts.get(hostId)?.isHearsay === false) return;
    const heardAt = this.clock.monotonicMs();
    this.hosts.set(hostId, { hostId, live: 0, capacity: capacity.sessions, heardAt, isHearsay: true, placed: 0 });
    this.onHost();
  }

  /** Nobody served its commands: it takes no session until it is heard, or read again. */
  missed(hostId: string): void {
    this.hosts.delete(hostId);
  }

  isHeard(hostId: string): boolean {
    const host = this.hosts.get(hostId);
    return host !== undefined && this.clock.monotonicMs() - host.heardAt < SILENT_AFTER_MS;
  }

  /** The least loaded host with room, a heard one if there is any, and counts one session more on it; undefined when there is none. */
  place(): string | undefined {
    const [best] = [...this.hosts.values()]
      .filter((host) => this.isHeard(host.hostId) && loadOf(host) < host.capacity)
      .sort((a, b) => Number(a.isHearsay) - Number(b.isHearsay) || fullness(a) - fullness(b) || (a.hostId < b.hostId ? -1 : 1));
    if (best) best.placed += 1;
    return best?.hostId;
  }
}

function fullness(host: KnownHost): number {
  return loadOf(host) / host.capacity;
}

function loadOf(host: KnownHost): number {
  return host.live + host.placed;
}

function isLive({ state }: HostBeat['sessions'][number]): boolean {
  return state === 'starting' || state === 'running' || state === 'unreachable';
}
