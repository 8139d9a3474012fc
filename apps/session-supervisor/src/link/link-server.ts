/** The attach link's socket: listens, and listens again when the runtime directory was removed under it. */
import type { RuntimeLayout } from '@holdfast/platform-session-store';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { ServiceError } from '@holdfast/kernel';
import { LinkConnection, type LinkParts } from './link-connection.js';

/** How often the socket is looked for. */
const WATCH_INTERVAL_MS = 1_000;

export class LinkServer {
  private server: Server | undefined;
  private watch: NodeJS.Timeout | undefined;
  private readonly connections = new Set<LinkConnection>();

  constructor(
    private readonly runtime: RuntimeLayout,
    private readonly parts: LinkParts,
  ) {}

  /** A predecessor's socket is removed first: the instance lock says that it is dead. */
  async start(): Promise<void> {
    await this.listen();
    this.watch = setInterval(() => void this.listenAgainIfGone(), WATCH_INTERVAL_MS);
  }

  get connectionCount(): number {
    return this.connections.size;
  }

  /** Ends every connection and removes the socket. */
  stop(): void {
    clearInterval(this.watch);
    this.server?.close();
    for (const connection of this.connections) connection.close();
  }

  private async listen(): Promise<void> {
    this.runtime.ensure();
    rmSync(this.runtime.linkSocket, { force: true });
    const server = createServer((socket) => this.accept(socket));
    this.server = server;
    server.listen(this.runtime.linkSocket);
    await once(server, 'listening');
    chmodSync(this.runtime.linkSocket, 0o600);
  }

  private accept(socket: Socket): void {
    const connection = new LinkConnection(socket, this.parts, () => this.connections.delete(connection));
    this.connections.add(connection);
  }

  /** Connections of the lost socket live on; closing it first keeps libuv from unlinking the new one. */
  private async listenAgainIfGone(): Promise<void> {
    if (existsSync(this.runtime.linkSocket) || !this.server?.listening) return;
    this.server.close();
    try {
      await this.listen();
      this.parts.log.warn('link.listens-again', { why: 'its socket was removed' });
    } catch (error) {
      this.parts.log.error('link.listen-failed', { why: ServiceError.from(error).message });
    }
  }
}
