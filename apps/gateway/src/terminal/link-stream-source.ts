/** The streaming core's source of output: the link. */
import type { SupervisorLink } from '../link/supervisor-link.js';
import type { FeedHandlers, Followed, ReadResult, StreamId, StreamSource } from '../streaming/stream-source.port.js';

export class LinkStreamSource implements StreamSource {
  constructor(private readonly link: SupervisorLink) {}

  follow(request: StreamId & { readonly from?: number }, begin: (followed: Followed) => FeedHandlers): Promise<void> {
    return this.link.follow(request, begin);
  }

  read(request: StreamId & { readonly from: number; readonly limit: number }): Promise<ReadResult> {
    return this.link.read(request);
  }

  async exitOf({ sessionId, epoch }: StreamId): ReturnType<StreamSource['exitOf']> {
    const { session } = await this.link.request('get', { sessionId });
    return session.exit === undefined || session.epoch !== epoch ? undefined : { offset: session.offset, exit: session.exit };
  }
}
