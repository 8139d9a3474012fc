/** The way to one viewer over its socket. */
import type { ExitView, TerminalClientEvents, TerminalServerEvents } from '@holdfast/contracts';
import type { TerminalSize } from '@holdfast/domain-session';
import type { DefaultEventsMap, Socket } from 'socket.io';
import type { Principal } from '../access/principal.js';
import type { ViewerSink } from '../streaming/stream-source.port.js';

export type TerminalSocket = Socket<TerminalClientEvents, TerminalServerEvents, DefaultEventsMap, { principal: Principal }>;

/** Packets (an output event is two) that may wait in the transport: enough to keep it busy, too few to delay another viewer's echo on the same socket. */
const MAX_WAITING_PACKETS = 4;

/** Looks at engine.io's own queue: the operating system's fill level (`bufferedAmount`) says nothing about a stalled reader. */
export class SocketSink implements ViewerSink {
  constructor(
    private readonly socket: TerminalSocket,
    private readonly attachId: string,
  ) {}

  get isReady(): boolean {
    return waitingPackets(this.socket) < MAX_WAITING_PACKETS;
  }

  get isDrained(): boolean {
    return waitingPackets(this.socket) === 0 && this.socket.conn.transport.writable;
  }

  output(offset: number, bytes: Uint8Array): void {
    this.socket.emit('output', this.attachId, offset, bytes);
  }

  resized(offset: number, { cols, rows }: TerminalSize): void {
    this.socket.emit('resized', { attachId: this.attachId, offset, cols, rows });
  }

  exited(exit: ExitView): void {
    this.socket.emit('exit', { attachId: this.attachId, exit });
  }
}

/** `writeBuffer` is not part of engine.io's typings, and the only place where this can be seen. */
function waitingPackets(socket: TerminalSocket): number {
  return socket.conn['writeBuffer'].length;
}
