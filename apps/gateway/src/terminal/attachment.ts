/** One attached viewer: its registration with the supervisor, its input, and its stream. */
import { MAX_INPUT_BYTES } from '@holdfast/contracts';
import { ServiceError, type ErrorCode } from '@holdfast/kernel';
import type { SupervisorLink } from '../link/supervisor-link.js';
import type { StreamClock } from '../streaming/stream-source.port.js';
import type { ViewerStream } from '../streaming/viewer-stream.js';

export interface AttachmentFacts {
  readonly attachId: string;
  readonly viewerId: string;
  readonly sessionId: string;
  readonly epoch: number;
  readonly mode: 'read' | 'write';
}

export interface AttachmentParts {
  readonly link: Pick<SupervisorLink, 'request' | 'writeInput'>;
  readonly clock: StreamClock;
  /** The supervisor's number for this viewer on the connection of now. */
  readonly viewer: number;
  /** Called once, at the end. `code` is why, absent when the client left. */
  readonly onEnd: (code: ErrorCode | undefined) => void;
}

/** Pause before the supervisor is asked again to register a viewer it cannot serve yet. */
const REJOIN_RETRY_MS = 200;

export class Attachment {
  private viewer: number | undefined;
  private stream: ViewerStream | undefined;
  private hasEnded = false;
  private isJoining = false;
  private endCode: ErrorCode | undefined;
  private releaseFeed: (() => void) | undefined;
  private cancelRetry: (() => void) | undefined;

  constructor(
    readonly facts: AttachmentFacts,
    private readonly parts: AttachmentParts,
  ) {
    this.viewer = parts.viewer;
  }

  /** Takes over what must be let go at the end. */
  ownFeed(release: () => void): void {
    if (this.hasEnded) release();
    else this.releaseFeed = release;
  }

  /** Takes over its stream. */
  carry(stream: ViewerStream): void {
    this.stream = stream;
  }

  /** @throws ServiceError why it has ended, if it has. */
  requireAttached(): void {
    if (this.hasEnded) throw new ServiceError(this.endCode ?? 'stream.not-attached', `attach "${this.facts.attachId}" has ended`);
  }

  /** Output flows from here on. */
  start(): void {
    this.stream?.start();
  }

  /** The transport has room again. */
  wake(): void {
    this.stream?.wake();
  }

  acknowledge(offset: number): void {
    this.stream?.acknowledge(offset);
  }

  checkSilence(): void {
    this.stream?.checkSilence();
  }

  /** Leaves in the order of the calls. @throws ServiceError `viewer.read-only`, `request.too-large`, `host.unreachable`, or the session's refusal. */
  async input(seq: number, bytes: Uint8Array): Promise<void> {
    const viewer = this.writingViewer();
    if (bytes.length > MAX_INPUT_BYTES) {
      throw new ServiceError('request.too-large', `input of ${bytes.length} bytes, one write takes at most ${MAX_INPUT_BYTES}`, {
        detail: { bytes: bytes.length, maxBytes: MAX_INPUT_BYTES },
      });
    }
    await this.parts.link.writeInput({ viewer, viewerId: this.facts.viewerId, seq, bytes });
  }

  async resize(size: { cols: number; rows: number }): Promise<void> {
    const viewer = this.writingViewer();
    const { sessionId, epoch } = this.facts;
    await this.parts.link.request('resize', { sessionId, epoch, viewer, ...size });
  }

  /** @throws ServiceError `viewer.read-only`. */
  requireWriter(): void {
    if (this.facts.mode === 'read') throw new ServiceError('viewer.read-only', 'this viewer is attached read-only');
  }

  /** The connection is gone, and the viewer's number with it. */
  leave(): void {
    this.viewer = undefined;
    this.cancelRetry?.();
    this.cancelRetry = undefined;
  }

  /** Registers again on a new connection. Never rejects: a refusal that is final ends the attachment. */
  async rejoin(): Promise<void> {
    if (this.hasEnded || this.isJoining || this.viewer !== undefined) return;
    this.isJoining = true;
    const { sessionId, epoch, viewerId, mode } = this.facts;
    const outcome = await this.parts.link
      .request('attach', { sessionId, epoch, viewerId, mode })
      .catch((error: unknown) => ServiceError.from(error));
    this.isJoining = false;
    if (!(outcome instanceof ServiceError)) {
      if (this.hasEnded) this.unregister(outcome.viewer);
      else this.viewer = outcome.viewer;
    } else if (outcome.retry === 'never') this.end(outcome.code);
    else if (!this.hasEnded) this.cancelRetry = this.parts.clock.after(REJOIN_RETRY_MS, () => void this.rejoin());
  }

  /** Final. With a code the client is told. */
  end(code?: ErrorCode): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.endCode = code;
    this.cancelRetry?.();
    if (this.viewer !== undefined) this.unregister(this.viewer);
    this.viewer = undefined;
    this.stream?.end();
    this.releaseFeed?.();
    this.parts.onEnd(code);
  }

  private writingViewer(): number {
    this.requireWriter();
    this.requireAttached();
    if (this.viewer === undefined) throw new ServiceError('host.unreachable', 'the supervisor of this session is away');
    return this.viewer;
  }

  /** A lost request costs nothing: viewers end with the connection. */
  private unregister(viewer: number): void {
    this.parts.link.request('detach', { viewer }).catch(() => undefined);
  }
}
