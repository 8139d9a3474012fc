/** One PTY and its leader: exact reads to the very end, writes by readiness, the exit as the kernel reports it. */
import { closeSync, constants as fsConstants, openSync, readSync } from 'node:fs';
import type { Socket } from 'node:net';
import { constants as osConstants } from 'node:os';
import { withoutDescriptorHoles } from './descriptor-table.js';
import type { NativePty } from './native-pty.js';
import { openPipe, type PipeHandle } from './pipe-handle.js';

/** libuv reads into this at most once per wake-up; a PTY gives up to 4 KB, so one buffer serves every session. */
const readBuffer = Buffer.allocUnsafe(64 * 1024);
/** Reads after the exit before the loop gets a turn: a grandchild may go on writing for ever. */
const MAX_EXIT_READS = 128;
/** Bytes handed to the kernel at once. It takes about that much; what it was given cannot be withdrawn. */
export const WRITE_CHUNK_BYTES = 8 * 1024;

export type PtyExit = { readonly code: number } | { readonly signal: string };

export interface PtyHandlers {
  /** The next output. The bytes are only valid during the call. */
  onData(bytes: Buffer): void;
  /** The leader ended, and everything it wrote went through `onData`. Called once. */
  onExit(exit: PtyExit): void;
  /** Nobody holds the tty any more: no output can follow. Called once, after `onExit`. */
  onEnd(): void;
}

export interface PtyStart {
  /** Absolute path of the program. */
  readonly program: string;
  /** argv without its first. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly cols: number;
  readonly rows: number;
}

export class PtyProcess {
  private readonly socket: Socket;
  private readonly handle: PipeHandle;
  private readonly fd: number;
  private slaveFd: number;
  private leaderPid: number;
  private paused = false;
  private exited = false;
  private ended = false;

  /** Forks. Blocks for about a millisecond. */
  constructor(
    private readonly native: NativePty,
    start: PtyStart,
    private readonly handlers: PtyHandlers,
  ) {
    const environment = Object.entries(start.environment).map(([name, value]) => `${name}=${value}`);
    const forked = withoutDescriptorHoles(() => {
      const { program, args, cwd, cols, rows } = start;
      const pty = native.fork(program, args, environment, cwd, cols, rows, -1, -1, true, '', (code, signal) =>
        this.leaderExited(code, signal),
      );
      // Held until the exit: without a holder of the slave the kernel reports a hang-up while output is still unread.
      const slaveFd = openSync(pty.pty, fsConstants.O_RDWR | fsConstants.O_NOCTTY);
      return { ...pty, slaveFd };
    });
    this.fd = forked.fd;
    this.leaderPid = forked.pid;
    this.slaveFd = forked.slaveFd;
    const { socket, handle } = openPipe(this.fd, readBuffer, (byteLength) => this.received(byteLength));
    this.socket = socket;
    this.handle = handle;
    // EIO is how a master reports that the last slave was closed.
    socket.on('error', () => this.finish());
    socket.on('close', () => this.finish());
    socket.read(0);
  }

  /** 0 once the leader ended: the number may be anybody's then. */
  get pid(): number {
    return this.leaderPid;
  }

  get isEnded(): boolean {
    return this.ended;
  }

  pause(): void {
    if (this.paused || this.ended) return;
    this.paused = true;
    this.handle.readStop();
  }

  resume(): void {
    if (!this.paused || this.ended) return;
    this.paused = false;
    this.handle.readStart();
  }

  /** Equal sizes are the caller's to leave out: the kernel signals SIGWINCH only on a change, programs redraw on each. */
  resize(cols: number, rows: number): void {
    if (!this.ended) this.native.resize(this.fd, cols, rows, 0, 0);
  }

  /**
   * Hands up to `WRITE_CHUNK_BYTES` to the kernel; `onDone` is called when it took them. One at a time: the caller waits.
   * Never called after the end; the child not reading costs no CPU.
   */
  write(chunk: Buffer, onDone: () => void): void {
    if (this.socket.destroyed) return;
    this.socket.write(chunk, () => {
      if (!this.socket.destroyed) onDone();
    });
  }

  /** Closes the master: who still holds the tty gets SIGHUP. `onEnd` is not called. */
  close(): void {
    this.ended = true;
    this.closeSlave();
    this.socket.destroy();
  }

  private received(byteLength: number): boolean {
    this.handlers.onData(readBuffer.subarray(0, byteLength));
    // Without the held slave libuv takes a partial read with a hang-up for the end: read on to EAGAIN each time.
    if (this.exited && !this.paused) this.readToEmpty();
    return !this.paused;
  }

  private leaderExited(code: number, signal: number): void {
    this.leaderPid = 0;
    this.exited = true;
    this.readToEmpty();
    this.closeSlave();
    const over = this.readToEmpty() === 'over';
    this.handlers.onExit(signal === 0 ? { code } : { signal: signalName(signal) });
    if (over) this.finish();
    else if (this.paused) this.resume();
  }

  /** `empty`: nothing to read now. `over`: no slave is open any more. `more`: the bound was reached. */
  private readToEmpty(): 'empty' | 'over' | 'more' {
    for (let reads = 0; reads < MAX_EXIT_READS; reads += 1) {
      if (this.socket.destroyed) return 'over';
      const byteLength = this.readNow();
      if (byteLength === 'empty' || byteLength === 'over') return byteLength;
      this.handlers.onData(readBuffer.subarray(0, byteLength));
    }
    return 'more';
  }

  private readNow(): number | 'empty' | 'over' {
    try {
      const byteLength = readSync(this.fd, readBuffer, 0, readBuffer.length, null);
      return byteLength === 0 ? 'over' : byteLength;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 'empty' : 'over';
    }
  }

  private finish(): void {
    if (this.ended || !this.exited) return;
    this.close();
    this.handlers.onEnd();
  }

  private closeSlave(): void {
    if (this.slaveFd < 0) return;
    closeSync(this.slaveFd);
    this.slaveFd = -1;
  }
}

function signalName(signal: number): string {
  const named = Object.entries(osConstants.signals).find(([, number]) => number === signal);
  return named ? named[0] : `SIG${signal}`;
}
