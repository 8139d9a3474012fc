/** Which hosts can take a session now, by their beats. */
import { BEAT_INTERVAL_MS, hostBeatEventSchema, type HostBeat } from '@holdfast/contracts';
import type { Clock } from '../host/clock.js';

/** Three missed beats are silence. */
const SILENT_AFTER_MS = 3 * BEAT_INTERVAL_MS;

interface KnownHost {
  readonly hostId: string;
  readonly live: number;
  readonly capacity: number;
  /** Monotonic milliseconds. */
  readonly heardAt: number;
  /** Sessions sent there since that beat. */
  placed: number;
}

export class HostDirectory {
  private readonly hosts = new Map<string, KnownHost>();

  constructor(
    private readonly instance: string,
    private readonly clock: Clock,
    /** A host that was unknown or silent is heard. */
    private readonly onHost: () => void,
  ) {}

  /** Takes one event of the beats' subject; beats of other instances are ignored. */
  hear(event: unknown): void {
    const parsed = hostBeatEventSchema.safeParse(event);
    if (!parsed.success || parsed.data.data.instance !== this.instance) return;
    const { hostId, capacity, sessions } = parsed.data.data;
    const isNews = !this.isHeard(hostId);
    this.hosts.set(hostId, {
      hostId,
      live: sessions.filter(isLive).length,
      capacity: capacity.sessions,
      heardAt: this.clock.monotonicMs(),
      placed: 0,
    });
    if (isNews) this.onHost();
  }

  isHeard(hostId: string): boolean {
    const host = this.hosts.get(hostId);
    return host !== undefined && this.clock.monotonicMs() - host.heardAt < SILENT_AFTER_MS;
  }

  /** The least loaded host with room, and counts one session more on it; undefined when there is none. */
  place(): string | undefined {
    const [best] = [...this.hosts.values()]
      .filter((host) => this.isHeard(host.hostId) && loadOf(host) < host.capacity)
      .sort((a, b) => loadOf(a) / a.capacity - loadOf(b) / b.capacity || (a.hostId < b.hostId ? -1 : 1));
    if (best) best.placed += 1;
    return best?.hostId;
  }
}

function loadOf(host: KnownHost): number {
  return host.live + host.placed;
}

function isLive({ state }: HostBeat['sessions'][number]): boolean {
  return state === 'starting' || state === 'running' || state === 'unreachable';
}
