/** The viewers of this gateway: attaches them, keeps them attached across restarts of the supervisor, and ends them. */
import type { AttachRequest, Attached, LinkVerbs } from '@holdfast/contracts';
import { isEnded, type TerminalSize } from '@holdfast/domain-session';
import type { ErrorCode } from '@holdfast/kernel';
import { randomBytes } from 'node:crypto';
import type { Principal } from '../access/principal.js';
import type { ViewerIds } from '../access/viewer-ids.js';
import type { LinkWatcher, SupervisorLink } from '../link/supervisor-link.js';
import { FeedDirectory } from '../streaming/feed-directory.js';
import type { StreamClock, ViewerSink } from '../streaming/stream-source.port.js';
import { TurnScheduler } from '../streaming/turn-scheduler.js';
import { ViewerStream } from '../streaming/viewer-stream.js';
import { decideOffset, locateStart } from './attach-start.js';
import { Attachment, type AttachmentFacts } from './attachment.js';
import { LinkStreamSource } from './link-stream-source.js';

const SILENCE_CHECK_MS = 1_000;

export interface AttachCall {
  /** Parsed, its `from` judged. */
  readonly request: AttachRequest;
  readonly asker: Principal;
  /** Makes the way to the viewer once its attach id is known. */
  readonly sinkFor: (attachId: string) => ViewerSink;
  /** The attachment has ended; `code` is why, absent when the client left. */
  readonly onEnd: (attachId: string, code: ErrorCode | undefined) => void;
}

interface StreamBegin {
  readonly sink: ViewerSink;
  readonly registered: LinkVerbs['attach'][1];
  readonly from: number | undefined;
}

export class TerminalService implements LinkWatcher {
  private readonly feeds: FeedDirectory;
  private readonly scheduler = new TurnScheduler(setImmediate);
  private readonly byViewerId = new Map<string, Attachment>();
  private silenceCheck: NodeJS.Timeout | undefined;

  constructor(
    private readonly link: SupervisorLink,
    private readonly viewerIds: ViewerIds,
    private readonly clock: StreamClock,
  ) {
    this.feeds = new FeedDirectory(new LinkStreamSource(link), clock);
    link.watch(this);
  }

  get viewerCount(): number {
    return this.byViewerId.size;
  }

  onModuleInit(): void {
    this.silenceCheck = setInterval(() => this.checkSilence(), SILENCE_CHECK_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.silenceCheck);
    for (const attachment of [...this.byViewerId.values()]) attachment.end();
  }

  linkUp(): void {
    this.feeds.resume();
    for (const attachment of this.byViewerId.values()) void attachment.rejoin();
  }

  linkDown(): void {
    this.feeds.interrupt();
    for (const attachment of this.byViewerId.values()) attachment.leave();
  }

  /**
   * Registers the viewer and finds its place. Nothing flows before `start` on what it returns, so that the answer goes first.
   * @throws ServiceError `viewer.unknown`, what the supervisor says of the session, or `host.unreachable`.
   */
  async attach(call: AttachCall): Promise<{ attached: Attached; attachment: Attachment }> {
    const { sessionId, epoch, from, mode = 'write' } = call.request;
    const viewerId = this.viewerIds.admit(call.request.viewerId, call.asker.tokenId);
    const registered = await this.link.request('attach', { sessionId, ...(epoch === undefined ? {} : { epoch }), viewerId, mode });
    const facts: AttachmentFacts = { attachId: randomBytes(9).toString('base64url'), viewerId, sessionId, epoch: registered.epoch, mode };
    const attachment = this.register(facts, registered.viewer, call);
    try {
      const start = await this.beginStream(attachment, { sink: call.sinkFor(facts.attachId), registered, from });
      const { attachId } = facts;
      const { lastSeq, state } = registered;
      return { attachment, attached: { attachId, epoch: facts.epoch, viewerId, lastSeq, ...start, how: 'exact', state, mode } };
    } catch (error) {
      attachment.end();
      throw error;
    }
  }

  /** From here on it takes part in breaks and returns of the link, and one before with the same viewer id is over. */
  private register(facts: AttachmentFacts, viewer: number, call: AttachCall): Attachment {
    const { viewerId, attachId } = facts;
    const onEnd = (code: ErrorCode | undefined): void => {
      if (this.byViewerId.get(viewerId) === attachment) this.byViewerId.delete(viewerId);
      call.onEnd(attachId, code);
    };
    const attachment = new Attachment(facts, { link: this.link, clock: this.clock, viewer, onEnd });
    this.byViewerId.get(viewerId)?.end('viewer.replaced');
    this.byViewerId.set(viewerId, attachment);
    return attachment;
  }

  private async beginStream(attachment: Attachment, { sink, registered, from }: StreamBegin): Promise<TerminalSize & { offset: number }> {
    const { sessionId, epoch } = attachment.facts;
    const feed = await this.feeds.hold({ sessionId, epoch }, isEnded(registered.state));
    attachment.ownFeed(() => this.feeds.release(feed));
    const start = await locateStart(feed, decideOffset(from, registered));
    attachment.requireAttached();
    const onGivenUp = (code: ErrorCode): void => attachment.end(code);
    attachment.carry(new ViewerStream({ feed, sink, scheduler: this.scheduler, clock: this.clock, ...start, onGivenUp }));
    return { offset: start.offset, cols: start.size.cols, rows: start.size.rows };
  }

  private checkSilence(): void {
    for (const attachment of [...this.byViewerId.values()]) attachment.checkSilence();
  }
}
