/** The streaming side of Holdfast: one connection that carries any number of attached terminals. */
import type { AttachOptions, TerminalHandlers } from './terminal-handlers.js';
import { TerminalAttachment } from './terminal-attachment.js';
import { TerminalSocket } from './terminal-socket.js';

export interface TerminalClientOptions {
  /** The gateway's origin; `''` is the page's own. */
  readonly baseUrl: string;
  /** Without it the browser's cookie speaks for the caller. */
  readonly token?: string;
}

export class TerminalClient {
  readonly #socket: TerminalSocket;
  readonly #attachments = new Set<TerminalAttachment>();

  constructor(options: TerminalClientOptions) {
    this.#socket = new TerminalSocket(options, () => {
      for (const attachment of this.#attachments) attachment.connectionLost();
    });
  }

  /** Opens the connection. It then stays open, reconnecting for ever, until `close`. Not reachable within 10 s: `host.unreachable`. */
  connect(): Promise<void> {
    return this.#socket.connect();
  }

  /**
   * Attaches a viewer to a session, connecting first when needed. The returned attachment mends itself; handlers are called
   * from before this resolves. Rejects when the first attach fails: nothing stays behind then.
   */
  async attach(options: AttachOptions, handlers: TerminalHandlers): Promise<TerminalAttachment> {
    const attachment = new TerminalAttachment(this.#socket, options, handlers, (ended) => this.#attachments.delete(ended));
    await this.#socket.connect();
    this.#attachments.add(attachment);
    try {
      await attachment.start();
    } catch (thrown) {
      attachment.end();
      throw thrown;
    }
    return attachment;
  }

  /** Ends every attachment and the connection. The sessions live on. */
  close(): void {
    for (const attachment of [...this.#attachments]) attachment.end();
    this.#socket.close();
  }
}
