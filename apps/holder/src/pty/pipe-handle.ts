/** A libuv pipe handle on a PTY master: the only handle kind that reads and writes one by readiness, without spinning. */
import { invariant } from '@holdfast/kernel';
import { Socket } from 'node:net';

/** The private surface we use of Node's pipe handles; the same in Node 20, 22 and 24. */
export interface PipeHandle {
  open(fd: number): number;
  readStart(): number;
  readStop(): number;
}

type PipeConstructor = new (type: number) => PipeHandle;
/** `PipeConstants.SOCKET` of node's pipe_wrap. */
const PIPE_TYPE_SOCKET = 0;

/**
 * The class behind `net.Socket` on unix sockets, got from a connect that fails at once.
 * `process.binding` would warn; `tty.ReadStream` busy-loops on writes; `net.Socket({fd})` refuses a TTY.
 */
function pipeConstructor(): PipeConstructor {
  const socket = new Socket();
  socket.on('error', () => undefined);
  socket.connect({ path: `/nonexistent-${process.pid}` });
  const handle = (socket as unknown as { _handle: object | null })._handle;
  invariant(handle, 'net.Socket has no handle after connect');
  socket.destroy();
  return handle.constructor as PipeConstructor;
}

let Pipe: PipeConstructor | undefined;

/** Checks at start-up what the rest relies on. @throws when this Node is built differently. */
export function selfTestPipeHandle(): void {
  Pipe = pipeConstructor();
  const probe = Pipe.prototype as Partial<PipeHandle>;
  for (const name of ['open', 'readStart', 'readStop'] as const) {
    invariant(typeof probe[name] === 'function', `pipe handles of Node ${process.version} have no ${name}()`);
  }
}

/** A duplex socket over `fd`, which it owns: `destroy()` closes it. Nothing is read before `readStart`. */
export function openPipe(fd: number, readBuffer: Buffer, onRead: (byteLength: number) => boolean): { socket: Socket; handle: PipeHandle } {
  if (!Pipe) selfTestPipeHandle();
  const handle = new (Pipe as PipeConstructor)(PIPE_TYPE_SOCKET);
  const failed = handle.open(fd);
  invariant(failed === 0, `cannot open fd ${fd} as a pipe: ${failed}`);
  const options = { handle, manualStart: true, onread: { buffer: readBuffer, callback: onRead } };
  const socket = new Socket(options as unknown as ConstructorParameters<typeof Socket>[0]);
  return { socket, handle };
}
