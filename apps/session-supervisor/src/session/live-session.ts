/** One session in memory: its manifest, its stream and its attachment, and how it looks from outside. */
import type { Session } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import type { SessionHandle, SessionRef, TerminalBackend } from '../backend/terminal-backend.port.js';
import { FloodBrake } from '../stream/flood-brake.js';
import type { SessionStream } from '../stream/session-stream.js';
import type { Manifest, SessionEnd } from '../manifest/manifest.schema.js';
import { normaliseSpec } from '../manifest/session-spec.js';

export class LiveSession {
  /** Present while a holder has it and we are connected. */
  handle: SessionHandle | undefined;
  /** Settles after the first try to reach it: before, nobody knows better than the manifest. */
  readonly settled: Promise<void>;
  isSettled = false;
  /** While its end is being recorded: its holder may be done with it, and is not to be called silent. Never rejects. */
  ending: Promise<void> | undefined;
  /** Its files are gone for good: nothing may be written any more. */
  isPurged = false;
  viewerCount = 0;
  /** Settles when its end was recorded. */
  readonly whenEnded: Promise<void>;
  private readonly brake = new FloodBrake();
  private markSettled!: () => void;
  private markEnded!: () => void;
  private openStream: SessionStream | undefined;
  /** Cached for ended sessions, whose journal grows no more. */
  private endedFacts:
    { readonly offset: number; readonly earliestOffset: number; readonly cols: number; readonly rows: number } | undefined;

  constructor(
    public manifest: Manifest,
    readonly backend: TerminalBackend,
    private readonly makeStream: (manifest: Manifest) => SessionStream,
  ) {
    this.settled = new Promise((resolve) => (this.markSettled = resolve));
    this.whenEnded = new Promise((resolve) => (this.markEnded = resolve));
    if (this.isEnded) this.markEnded();
  }

  get id(): string {
    return this.manifest.sessionId;
  }

  get isEnded(): boolean {
    return this.manifest.end !== undefined;
  }

  get ref(): SessionRef {
    const { sessionId, epoch, mark, holder, leader } = this.manifest;
    return { sessionId, epoch, mark, holder, ...(leader ? { leader } : {}) };
  }

  get state(): Session['state'] {
    if (this.manifest.state === 'pending') return 'starting';
    if (this.manifest.state !== 'running') return this.manifest.state;
    return this.handle?.isResponsive || this.ending || !this.isSettled ? 'running' : 'unreachable';
  }

  /** Its output; opened on first use. */
  get stream(): SessionStream {
    if (this.openStream) return this.openStream;
    this.openStream = this.makeStream(this.manifest);
    const { end } = this.manifest;
    if (end) this.openStream.finish({ exit: end.exit, offset: end.offset });
    return this.openStream;
  }

  /** Milliseconds on the monotonic clock; undefined when there was no output since we attached. */
  get lastOutputAtMs(): number | undefined {
    return this.openStream?.lastOutputAtMs;
  }

  settle(): void {
    this.isSettled = true;
    this.markSettled();
  }

  /** Its end is known: followers are told once they have every byte before it. */
  announceEnd(end: SessionEnd): void {
    this.stream.finish({ exit: end.exit, offset: end.offset });
    this.settle();
    this.markEnded();
  }

  /** Frees the memory of an ended session's output, unless somebody follows it. */
  releaseStream(): void {
    if (this.isEnded && !this.handle && this.openStream?.followerCount === 0) this.openStream = undefined;
  }

  /** @throws ServiceError `session.stale-handle` when `epoch` is given and another. */
  requireEpoch(epoch: number | undefined): void {
    if (epoch === undefined || epoch === this.manifest.epoch) return;
    throw new ServiceError('session.stale-handle', `session ${this.id} is at epoch ${this.manifest.epoch}, not ${epoch}`, {
      detail: { epoch: this.manifest.epoch },
    });
  }

  /** Its live attachment. @throws ServiceError `session.ended`, `holder.unreachable`. */
  requireHandle(): SessionHandle {
    if (this.isEnded) throw new ServiceError('session.ended', `session ${this.id} has ended`);
    if (!this.handle?.isResponsive) throw new ServiceError('holder.unreachable', `the holder of session ${this.id} does not answer`);
    return this.handle;
  }

  /** Holds its output for up to `wishedMs` on behalf of viewers that keep up; 0 lets it go on. */
  hold(wishedMs: number): void {
    const grantedMs = this.brake.grant(wishedMs, this.stream.liveOffset);
    if (grantedMs > 0 || wishedMs === 0) this.handle?.hold(grantedMs);
  }

  view(hostId: string): Session {
    const { manifest } = this;
    const spec = normaliseSpec(manifest.spec, manifest.backend);
    return {
      sessionId: manifest.sessionId,
      epoch: manifest.epoch,
      hostId,
      backend: manifest.backend,
      capabilities: this.backend.capabilities,
      state: this.state,
      pid: manifest.end ? null : (manifest.leader?.pid ?? null),
      createdAt: manifest.createdAt,
      startedAt: manifest.startedAt ?? null,
      endedAt: manifest.end?.endedAt ?? null,
      ...this.outputFacts(),
      owner: spec.owner,
      agentKind: spec.agentKind,
      command: [...spec.command],
      cwd: manifest.cwd ?? spec.cwd ?? '',
      labels: { ...spec.labels },
      ...(spec.taskId === undefined ? {} : { taskId: spec.taskId }),
      ...(spec.title === undefined ? {} : { title: spec.title }),
      ...(manifest.end ? { exit: manifest.end.exit, leftovers: leftoversOf(manifest) } : {}),
      ...(this.openStream?.recordingStopped ? { recordingStopped: true } : {}),
    };
  }

  private outputFacts(): { offset: number; earliestOffset: number; cols: number; rows: number } {
    if (this.endedFacts) return this.endedFacts;
    const { stream } = this;
    const { cols, rows } = stream.sizes.last;
    const facts = { offset: stream.endOffset, earliestOffset: stream.earliestOffset, cols, rows };
    if (!this.isEnded || this.handle) return facts;
    this.endedFacts = facts;
    this.releaseStream();
    return facts;
  }
}

function leftoversOf(manifest: Manifest): NonNullable<Session['leftovers']> {
  return (manifest.end?.leftovers ?? []).map(({ pid, command }) => ({ pid, command }));
}
