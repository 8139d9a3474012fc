/** The hosts this gateway knows: that of its own machine by the link, any by their beats. */
import { BEAT_INTERVAL_MS, type Host, type HostBeat } from '@holdfast/contracts';
import type { LinkWatcher } from '../link/supervisor-link.js';

/** After three missed beats a host is silent. */
const SILENT_AFTER_MS = 3 * BEAT_INTERVAL_MS;
/** A host unheard for this long is not listed any more: it was taken away, or has a new id. */
const FORGOTTEN_AFTER_MS = 60 * 60_000;

/** What is read off the link. */
export interface LocalLink {
  readonly host: { readonly hostId: string; readonly term: number } | undefined;
  watch(watcher: LinkWatcher): void;
}

export class HostDirectory {
  private readonly heard = new Map<string, { readonly at: number; readonly beat: HostBeat }>();
  /** Stays while the supervisor is away. */
  private local: { readonly hostId: string; readonly term: number } | undefined;

  /** `now` in milliseconds that only grow. */
  constructor(
    private readonly link: LocalLink,
    private readonly now: () => number,
  ) {
    link.watch({ linkUp: () => (this.local = link.host ?? this.local), linkDown: () => undefined });
  }

  take(beat: HostBeat): void {
    const now = this.now();
    this.heard.set(beat.hostId, { at: now, beat });
    for (const [hostId, { at }] of this.heard) if (now - at > FORGOTTEN_AFTER_MS) this.heard.delete(hostId);
  }

  /** Of this machine; undefined until the first link. */
  get own(): Host | undefined {
    if (this.local === undefined) return undefined;
    const link = this.link.host === undefined ? 'down' : 'up';
    return { ...this.facts(this.local), status: link === 'up' ? 'ok' : 'unreachable', link };
  }

  /** This machine's first, the others by id. */
  all(): Host[] {
    const own = this.own;
    const others = [...this.heard.values()].filter(({ beat }) => beat.hostId !== own?.hostId).map(({ beat }) => this.other(beat));
    return [...(own === undefined ? [] : [own]), ...others.sort((a, b) => (a.hostId < b.hostId ? -1 : 1))];
  }

  private other(beat: HostBeat): Host {
    const facts = this.facts(beat);
    const isHeard = facts.lastBeatAgoMs !== null && facts.lastBeatAgoMs <= SILENT_AFTER_MS;
    return { ...facts, status: isHeard ? 'ok' : 'unreachable', link: 'none' };
  }

  private facts({ hostId, term }: { readonly hostId: string; readonly term: number }): Omit<Host, 'status' | 'link'> {
    const heard = this.heard.get(hostId);
    if (heard === undefined) return { hostId, term, lastBeatAgoMs: null, capacity: null, sessions: null };
    const { at, beat } = heard;
    return { hostId, term, lastBeatAgoMs: Math.round(this.now() - at), capacity: beat.capacity, sessions: beat.sessions.length };
  }
}
