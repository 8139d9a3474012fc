/** A unix socket that comes back when its path is swept away: the runtime directory may vanish under a living holder. */
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';

export class ListeningSocket {
  private server: Server | undefined;
  private inode = 0;
  private closed = false;

  constructor(
    readonly path: string,
    private readonly onConnection: (socket: Socket) => void,
  ) {}

  /** Listens, in place of whatever a predecessor left at the path. @throws the system error. */
  listen(): Promise<void> {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    rmSync(this.path, { force: true });
    const server = createServer((socket) => this.onConnection(socket));
    this.server = server;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.path, () => {
        server.off('error', reject);
        server.on('error', () => undefined);
        chmodSync(this.path, 0o600);
        this.inode = inodeOf(this.path) ?? 0;
        resolve();
      });
    });
  }

  /** Listens anew when the path is gone. A stranger's file there is left alone. */
  async restore(): Promise<void> {
    if (this.closed || !this.server?.listening || inodeOf(this.path) !== undefined) return;
    this.server.close();
    await this.listen();
  }

  /** Stops listening and removes the path if it is still ours; open connections go on. */
  close(): void {
    this.closed = true;
    if (inodeOf(this.path) === this.inode) rmSync(this.path, { force: true });
    this.server?.close();
  }
}

function inodeOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.ino;
}
