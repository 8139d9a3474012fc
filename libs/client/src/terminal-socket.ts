/** The socket.io connection to `/terminal`: requests with deadlines and typed errors, reconnecting for ever, events routed by attachment. */
import {
  TERMINAL_NAMESPACE,
  type Ack,
  type Attached,
  type AttachRequest,
  type TerminalClientEvents,
  type TerminalServerEvents,
} from '@holdfast/contracts';
import { parseErrorBody, ServiceError, withDeadline } from '@holdfast/kernel';
import { io, type Socket } from 'socket.io-client';
import { GrowingPause } from './growing-pause.js';

/** What one attachment hears of its stream. */
export type StreamEvents = {
  readonly [Name in Exclude<keyof TerminalServerEvents, 'output' | 'reconnect'>]: TerminalServerEvents[Name];
} & { output(offset: number, bytes: Uint8Array): void };

/** The longest pause between two attempts to reconnect, in milliseconds. */
export const LONGEST_RECONNECT_PAUSE_MS = 2_000;
const FIRST_RECONNECT_PAUSE_MS = 100;
/** Opening the connection, socket.io's handshake included. */
const CONNECT_DEADLINE_MS = 10_000;
const REQUEST_DEADLINE_MS = 15_000;

type TypedSocket = Socket<TerminalServerEvents, TerminalClientEvents>;

export class TerminalSocket {
  readonly #socket: TypedSocket;
  readonly #streams = new Map<string, StreamEvents>();
  readonly #pause = new GrowingPause(FIRST_RECONNECT_PAUSE_MS, LONGEST_RECONNECT_PAUSE_MS);
  readonly #whenBroken: () => void;
  readonly #waiting = new Set<{ resolve: () => void; reject: (error: ServiceError) => void }>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed: ServiceError | undefined;

  /** @param whenBroken called each time an open connection is lost */
  constructor(options: { readonly baseUrl: string; readonly token?: string }, whenBroken: () => void) {
    this.#whenBroken = whenBroken;
    this.#socket = io(`${options.baseUrl.replace(/\/+$/, '')}${TERMINAL_NAMESPACE}`, {
      transports: ['websocket'],
      autoConnect: false,
      forceNew: true,
      timeout: CONNECT_DEADLINE_MS,
      reconnectionDelay: FIRST_RECONNECT_PAUSE_MS,
      reconnectionDelayMax: LONGEST_RECONNECT_PAUSE_MS,
      auth: options.token === undefined ? {} : { token: options.token },
    });
    this.#listen();
  }

  /** Waits for a connection, as long as it takes; rejects once the credentials are refused or `close` was called. */
  connected(): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    if (this.#socket.connected) return Promise.resolve();
    if (!this.#socket.active && this.#timer === undefined) this.#socket.connect();
    return new Promise((resolve, reject) => this.#waiting.add({ resolve, reject }));
  }

  /** As `connected`, with a deadline. */
  connect(): Promise<void> {
    return withDeadline(this.connected(), CONNECT_DEADLINE_MS, 'connecting to the gateway', 'host.unreachable');
  }

  /** `begin` runs before any event of the new attachment can arrive. */
  attach(request: AttachRequest, begin: (attached: Attached) => StreamEvents): Promise<Attached> {
    return this.#request<Attached>(
      'attach',
      (socket, settle) => socket.emit('attach', request, settle),
      (attached) => {
        this.#streams.set(attached.attachId, begin(attached));
      },
    );
  }

  async input(attachId: string, seq: number, bytes: Uint8Array): Promise<void> {
    await this.#request('input', (socket, settle) => socket.emit('input', attachId, seq, bytes, settle));
  }

  async resize(attachId: string, cols: number, rows: number): Promise<void> {
    await this.#request('resize', (socket, settle) => socket.emit('resize', { attachId, cols, rows }, settle));
  }

  async detach(attachId: string): Promise<void> {
    this.forget(attachId);
    await this.#request('detach', (socket, settle) => socket.emit('detach', { attachId }, settle));
  }

  acknowledge(attachId: string, offset: number): void {
    if (this.#socket.connected) this.#socket.emit('ack', attachId, offset);
  }

  /** Events of this attachment are ignored from now on. */
  forget(attachId: string): void {
    this.#streams.delete(attachId);
  }

  close(): void {
    this.#end(new ServiceError('stream.not-attached', 'the terminal client is closed'));
  }

  #end(error: ServiceError): void {
    this.#closed ??= error;
    clearTimeout(this.#timer);
    this.#streams.clear();
    for (const waiter of this.#waiting) waiter.reject(this.#closed);
    this.#waiting.clear();
    this.#socket.disconnect();
  }

  #request<Facts extends object>(
    verb: string,
    emit: (socket: DeadlineSocket, settle: (failure: Error | null, ack: Ack<Facts>) => void) => void,
    succeeded?: (facts: Facts) => void,
  ): Promise<Facts> {
    if (!this.#socket.connected) return Promise.reject(new ServiceError('host.unreachable', `${verb}: not connected to the gateway`));
    return new Promise((resolve, reject) => {
      emit(this.#socket.timeout(REQUEST_DEADLINE_MS) as DeadlineSocket, (failure, ack) => {
        if (failure !== null) return reject(this.#failed(verb));
        if (!ack.ok) return reject(ServiceError.fromBody(parseErrorBody({ ...ack, message: ack.detail, detail: undefined })));
        this.#pause.reset();
        succeeded?.(ack);
        resolve(ack);
      });
    });
  }

  #failed(verb: string): ServiceError {
    if (this.#socket.connected) return new ServiceError('deadline.exceeded', `${verb}: no answer within ${REQUEST_DEADLINE_MS} ms`);
    return new ServiceError('link.closed', `${verb}: the connection broke before the answer`);
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on('connect', () => {
      for (const waiter of this.#waiting) waiter.resolve();
      this.#waiting.clear();
    });
    socket.on('disconnect', (reason) => {
      this.#streams.clear();
      this.#whenBroken();
      if (reason === 'io server disconnect') this.#connectAgain();
    });
    socket.on('connect_error', (failure) => this.#refused(failure));
    socket.on('reconnect', ({ inMs }) => this.#moveAway(inMs));
    socket.on('output', (attachId, offset, bytes) => this.#streams.get(attachId)?.output(offset, asBytes(bytes)));
    socket.on('resync', (event) => this.#streams.get(event.attachId)?.resync({ ...event, snapshot: asBytes(event.snapshot) }));
    socket.on('resized', (event) => this.#streams.get(event.attachId)?.resized(event));
    socket.on('control', (event) => this.#streams.get(event.attachId)?.control(event));
    socket.on('restarted', (event) => this.#streams.get(event.attachId)?.restarted(event));
    socket.on('exit', (event) => this.#streams.get(event.attachId)?.exit(event));
    socket.on('detached', (event) => this.#streams.get(event.attachId)?.detached(event));
  }

  /** socket.io tries again by itself when the server cannot be reached, not when the server refused. */
  #refused(failure: Error & { data?: unknown }): void {
    if (this.#socket.active) return;
    const error = ServiceError.fromBody(parseErrorBody({ message: failure.message, ...(failure.data as object | undefined) }));
    if (error.code.startsWith('auth.') && error.retry === 'never') this.#end(error);
    else this.#connectAgain();
  }

  /** A draining gateway asks its viewers to go; spread out, so that they do not all arrive at once. */
  #moveAway(inMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        if (this.#closed === undefined) this.#socket.disconnect().connect();
      },
      inMs * (0.5 + Math.random() / 2),
    );
  }

  #connectAgain(): void {
    if (this.#closed !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#socket.connect();
    }, this.#pause.next());
  }
}

/** socket.io's `timeout()` puts the failure before the acknowledgement. */
interface DeadlineSocket {
  emit(event: string, ...args: unknown[]): unknown;
}

/** Browsers deliver an `ArrayBuffer`, Node a `Buffer`. */
function asBytes(value: Uint8Array | ArrayBuffer): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array(value);
}
