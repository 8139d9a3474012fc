/** Says every few seconds what this host has, for whoever listens; a broker that is away is no trouble to anything else. */
import { BEAT_INTERVAL_MS, HOST_BEAT_TYPE, subjectRoot, subjects, type HostBeat } from '@holdfast/contracts';
import { KEEP_LABEL } from '@holdfast/domain-liveness';
import { cloudEvent, type CloudEvent } from '@holdfast/platform-messaging';
import type { Clock } from '../host/clock.js';
import type { LiveSession } from '../session/live-session.js';
import type { SessionRegistry } from '../session/session.registry.js';
import { normaliseSpec } from '../manifest/session-spec.js';
import { agesOf } from '../session/session-ages.js';

/** `EventBus` is the real one. */
export interface BeatChannel {
  publish(subject: string, event: CloudEvent): 'sent' | 'offline';
}

export interface BeatFacts {
  readonly instance: string;
  readonly hostId: string;
  readonly bootId: string;
  readonly term: number;
  readonly clock: Clock;
  capacity(): HostBeat['capacity'];
}

export class BeatPublisher {
  private seq = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly facts: BeatFacts,
    private readonly registry: SessionRegistry,
    private readonly channel: BeatChannel,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.beat(), BEAT_INTERVAL_MS);
    this.beat();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** One beat now. Beats that nobody could hear are not counted: `seq` has no gaps for a listener that was there. */
  beat(): void {
    const { instance, hostId, bootId, term } = this.facts;
    const data: HostBeat = {
      instance,
      hostId,
      bootId,
      term,
      seq: this.seq + 1,
      capacity: this.facts.capacity(),
      sessions: this.registry.all().flatMap((session) => (session.isEnded ? [] : [this.sessionBeat(session)])),
    };
    const event = cloudEvent({ type: HOST_BEAT_TYPE, source: `/session-supervisor/${hostId}`, data });
    if (this.channel.publish(subjects.hostBeat(subjectRoot(instance), hostId), event) === 'sent') this.seq += 1;
  }

  private sessionBeat(session: LiveSession): HostBeat['sessions'][number] {
    const { bootId, clock } = this.facts;
    const { manifest, lastOutputAtMs } = session;
    const { owner, taskId, ttlMs, labels } = normaliseSpec(manifest.spec, manifest.backend);
    return {
      id: session.id,
      epoch: manifest.epoch,
      owner,
      backend: manifest.backend,
      state: session.state,
      pid: manifest.leader?.pid ?? null,
      ...agesOf(manifest, { bootId, ms: clock.bootMs() }),
      lastOutputAgoMs: lastOutputAtMs === undefined ? null : Math.round(clock.monotonicMs() - lastOutputAtMs),
      viewers: session.viewerCount,
      ...(taskId === undefined ? {} : { taskId }),
      ...(ttlMs === undefined ? {} : { ttlMs }),
      ...(Object.hasOwn(labels, KEEP_LABEL) ? { keep: true } : {}),
      ...(manifest.recorded === false ? { recorded: false } : {}),
    };
  }
}
