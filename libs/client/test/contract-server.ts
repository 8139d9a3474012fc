/** A small honest server of the `/terminal` contract: journals in memory, windows and sequences kept as a gateway must, and ways to break it. */
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo, Socket as Connection } from 'node:net';
import {
  TERMINAL_NAMESPACE,
  VIEWER_WINDOW_BYTES,
  type Ack,
  type Attached,
  type AttachRequest,
  type ExitView,
  type TerminalClientEvents,
  type TerminalServerEvents,
} from '@holdfast/contracts';
import type { ErrorCode } from '@holdfast/kernel';
import { Server, type Socket } from 'socket.io';

type ServerSocket = Socket<TerminalClientEvents, TerminalServerEvents>;

interface Viewer {
  readonly attachId: string;
  readonly socket: ServerSocket;
  sent: number;
  acknowledged: number;
}

/** One PTY that nobody needs to run: output is given, input is kept. */
export class FakeSession {
  journal = Buffer.alloc(0);
  exit: ExitView | undefined;
  epoch = 1;
  size = { cols: 80, rows: 24 };
  /** Bytes before this are gone. */
  prunedBefore = 0;
  readonly typed: string[] = [];
  readonly lastSeq = new Map<string, number>();
  readonly viewers = new Map<string, Viewer>();
  /** Largest number of bytes any viewer ever had on its way. */
  mostOutstanding = 0;
}

export class ContractServer {
  readonly session = new FakeSession();
  /** Makes the next inputs fail; `lost` applies the input and never answers. */
  readonly inputFaults: (ErrorCode | 'lost')[] = [];
  /** Makes the next attaches fail. */
  readonly attachFaults: ErrorCode[] = [];
  readonly attaches: AttachRequest[] = [];
  readonly acknowledgements: number[] = [];
  readonly resizes: { cols: number; rows: number }[] = [];
  readonly #http: HttpServer;
  readonly #connections = new Set<Connection>();
  readonly #io: Server<TerminalClientEvents, TerminalServerEvents>;
  #attachCount = 0;

  private constructor() {
    this.#http = createServer();
    this.#http.on('connection', (connection) => {
      this.#connections.add(connection);
      connection.on('close', () => this.#connections.delete(connection));
    });
    this.#io = new Server(this.#http, { transports: ['websocket'], maxHttpBufferSize: 4e6 });
    const terminal = this.#io.of(TERMINAL_NAMESPACE);
    terminal.use((socket, next) => {
      const data = { code: 'auth.invalid', retry: 'never', detail: 'wrong token' };
      next(socket.handshake.auth['token'] === 'good' ? undefined : Object.assign(new Error('auth.invalid'), { data }));
    });
    terminal.on('connection', (socket) => this.#serve(socket));
  }

  static async start(port = 0): Promise<ContractServer> {
    const server = new ContractServer();
    await new Promise<void>((resolve) => server.#http.listen(port, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  write(bytes: Uint8Array): void {
    this.session.journal = Buffer.concat([this.session.journal, bytes]);
    this.#pumpAll();
  }

  resize(cols: number, rows: number): void {
    this.session.size = { cols, rows };
    for (const { socket, attachId } of this.session.viewers.values())
      socket.emit('resized', { attachId, offset: this.session.journal.length, cols, rows });
  }

  end(exit: ExitView): void {
    this.session.exit = exit;
    this.#pumpAll();
  }

  /** Breaks every connection under the client, as a killed gateway does. */
  breakConnections(): void {
    this.session.viewers.clear();
    for (const connection of this.#connections) connection.destroy();
  }

  detachAll(code: ErrorCode): void {
    for (const { socket, attachId } of this.session.viewers.values()) socket.emit('detached', { attachId, code });
    this.session.viewers.clear();
  }

  /** Sends bytes from further on, as if some were lost in between. */
  skip(bytes: number): void {
    for (const viewer of this.session.viewers.values()) viewer.sent += bytes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#io.close();
  }

  #serve(socket: ServerSocket): void {
    socket.on('attach', (request, reply) => reply(this.#attach(socket, request)));
    socket.on('ack', (attachId, offset) => {
      const viewer = this.session.viewers.get(attachId);
      this.acknowledgements.push(offset);
      if (viewer !== undefined) viewer.acknowledged = Math.max(viewer.acknowledged, offset);
      this.#pumpAll();
    });
    socket.on('input', (attachId, seq, bytes, reply) => {
      const answer = this.#input(socket, attachId, seq, bytes);
      if (answer !== undefined) reply(answer);
    });
    socket.on('resize', ({ cols, rows }, reply) => {
      this.resizes.push({ cols, rows });
      this.resize(cols, rows);
      reply({ ok: true });
    });
    socket.on('detach', ({ attachId }, reply) => {
      this.session.viewers.delete(attachId);
      reply({ ok: true });
    });
  }

  #attach(socket: ServerSocket, request: AttachRequest): Ack<Attached> {
    const { session } = this;
    this.attaches.push(request);
    const fault = this.attachFaults.shift();
    if (fault !== undefined) return refusal(fault);
    const from = request.from ?? session.prunedBefore;
    const exact = from >= session.prunedBefore;
    const offset = exact ? from : session.journal.length;
    const attachId = `attach-${(this.#attachCount += 1)}`;
    const viewerId = request.viewerId ?? `viewer-${this.#attachCount}`;
    const viewer: Viewer = { attachId, socket, sent: offset, acknowledged: offset };
    session.viewers.set(attachId, viewer);
    socket.data.viewers = { ...socket.data.viewers, [attachId]: viewerId };
    setImmediate(() => this.#pump(viewer));
    const facts = {
      attachId,
      epoch: session.epoch,
      viewerId,
      lastSeq: session.lastSeq.get(viewerId) ?? 0,
      offset,
      ...session.size,
      state: session.exit ? ('exited' as const) : ('running' as const),
      mode: request.mode ?? 'write',
    };
    return exact ? { ok: true, ...facts, how: 'exact' } : { ok: true, ...facts, how: 'snapshot', snapshot: Buffer.from('SNAPSHOT') };
  }

  #input(socket: ServerSocket, attachId: string, seq: number, bytes: Uint8Array): Ack | undefined {
    const fault = this.inputFaults.shift();
    if (fault !== undefined && fault !== 'lost') return refusal(fault);
    const viewerId = (socket.data.viewers as Record<string, string>)[attachId] ?? 'nobody';
    const last = this.session.lastSeq.get(viewerId) ?? 0;
    if (seq > last + 1) return refusal('session.input-gap');
    if (seq === last + 1) {
      this.session.lastSeq.set(viewerId, seq);
      this.session.typed.push(Buffer.from(bytes).toString());
    }
    if (fault !== 'lost') return { ok: true };
    socket.conn.close();
    return undefined;
  }

  #pumpAll(): void {
    for (const viewer of this.session.viewers.values()) this.#pump(viewer);
  }

  #pump(viewer: Viewer): void {
    const { session } = this;
    if (!session.viewers.has(viewer.attachId)) return;
    while (viewer.sent < session.journal.length && viewer.sent - viewer.acknowledged < VIEWER_WINDOW_BYTES) {
      const bytes = session.journal.subarray(viewer.sent, Math.min(viewer.sent + 50_000, viewer.acknowledged + VIEWER_WINDOW_BYTES));
      viewer.socket.emit('output', viewer.attachId, viewer.sent, bytes);
      viewer.sent += bytes.length;
      session.mostOutstanding = Math.max(session.mostOutstanding, viewer.sent - viewer.acknowledged);
    }
    if (session.exit !== undefined && viewer.sent >= session.journal.length)
      viewer.socket.emit('exit', { attachId: viewer.attachId, exit: session.exit });
  }
}

const refusal = (code: ErrorCode) =>
  ({
    ok: false,
    code,
    retry: code === 'host.unreachable' || code === 'session.input-stalled' ? 'safe' : 'never',
    detail: `refused: ${code}`,
  }) as const;
