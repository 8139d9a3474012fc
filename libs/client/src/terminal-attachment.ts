/** One viewer of one session: its stream continued exactly over broken connections, its input applied once. */
import { MAX_INPUT_BYTES, VIEWER_ACK_BYTES, type Attached, type AttachRequest } from '@holdfast/contracts';
import { ERROR_CODES, isErrorCode, ServiceError } from '@holdfast/kernel';
import { GrowingPause } from './growing-pause.js';
import { InputPipeline } from './input-pipeline.js';
import { OutputStream } from './output-stream.js';
import type { AttachmentStatus, AttachOptions, TerminalHandlers, TerminalSize } from './terminal-handlers.js';
import { LONGEST_RECONNECT_PAUSE_MS, type StreamEvents, type TerminalSocket } from './terminal-socket.js';

const FIRST_ATTACH_PAUSE_MS = 50;

export class TerminalAttachment {
  readonly #socket: TerminalSocket;
  readonly #options: AttachOptions;
  readonly #handlers: TerminalHandlers;
  readonly #whenEnded: (attachment: TerminalAttachment) => void;
  readonly #stream: OutputStream;
  readonly #input: InputPipeline;
  readonly #pause = new GrowingPause(FIRST_ATTACH_PAUSE_MS, LONGEST_RECONNECT_PAUSE_MS);
  #attached: Attached | undefined;
  #viewerId: string | undefined;
  #wantedSize: TerminalSize | undefined;
  #status: AttachmentStatus = 'reconnecting';
  #recovering = false;
  #wake: (() => void) | undefined;

  /** Use `TerminalClient.attach`. */
  constructor(
    socket: TerminalSocket,
    options: AttachOptions,
    handlers: TerminalHandlers,
    whenEnded: (attachment: TerminalAttachment) => void,
  ) {
    this.#socket = socket;
    this.#options = options;
    this.#handlers = handlers;
    this.#whenEnded = whenEnded;
    this.#viewerId = options.viewerId;
    this.#stream = new OutputStream(handlers, VIEWER_ACK_BYTES, {
      acknowledge: (offset) => this.#acknowledge(offset),
      broken: () => this.#recover(),
      failed: (cause) => this.#end(new ServiceError('internal', 'a terminal handler threw', { cause })),
    });
    this.#input = new InputPipeline({
      send: (seq, bytes) => this.#socket.input(this.#attached?.attachId ?? '', seq, bytes),
      lostTrack: () => this.#recover(),
    });
  }

  get sessionId(): string {
    return this.#options.sessionId;
  }

  get epoch(): number | undefined {
    return this.#attached?.epoch;
  }

  /** Names this viewer to the server, across reconnects. */
  get viewerId(): string | undefined {
    return this.#viewerId;
  }

  get status(): AttachmentStatus {
    return this.#status;
  }

  /**
   * Types bytes, whole and in the order of the calls. Resolves once the session has taken them; while the connection is
   * broken they wait and are sent once it is back, never twice. Rejects when they are refused for good.
   */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#options.mode === 'read') throw new ServiceError('viewer.read-only', 'this viewer may not type');
    if (this.#status === 'detached') throw new ServiceError('stream.not-attached', 'the viewer is detached');
    if (bytes.length > MAX_INPUT_BYTES) {
      throw new ServiceError('request.too-large', `one write may hold ${MAX_INPUT_BYTES} bytes`, { detail: { maxBytes: MAX_INPUT_BYTES } });
    }
    if (bytes.length > 0) await this.#input.write(new Uint8Array(bytes));
  }

  /** Asks for a size; `onResized` tells when the session has it. While the connection is broken the last wish waits. */
  async resize(cols: number, rows: number): Promise<void> {
    const size = { cols, rows };
    this.#wantedSize = size;
    if (this.#status !== 'live' || this.#attached === undefined) return;
    await this.#socket.resize(this.#attached.attachId, cols, rows);
    if (this.#wantedSize === size) this.#wantedSize = undefined;
  }

  /** Ends this viewer; the session lives on. Nothing is called back afterwards. */
  async detach(): Promise<void> {
    const attachId = this.#status === 'live' ? this.#attached?.attachId : undefined;
    this.end();
    // The gateway notices a broken connection by itself.
    if (attachId !== undefined) await this.#socket.detach(attachId).catch(() => undefined);
  }

  /** Attaches for the first time; to be called once, by the client. */
  async start(): Promise<void> {
    await this.#attach();
  }

  /** The connection broke; to be called by the client. */
  connectionLost(): void {
    this.#pause.reset(); // socket.io has paces of its own
    if (this.#attached !== undefined) this.#recover();
  }

  /** Ends locally; to be called by the client when it closes. */
  end(): void {
    if (this.#status === 'detached') return;
    this.#forgetStream();
    this.#setStatus('detached');
    this.#stream.stop();
    this.#input.abandon(new ServiceError('link.closed', 'the viewer was detached before the session took the input'));
    this.#wake?.();
    this.#whenEnded(this);
  }

  #end(error: ServiceError): void {
    if (this.#status === 'detached') return;
    this.end();
    this.#handlers.onDetached?.(error);
  }

  async #attach(): Promise<void> {
    await this.#socket.attach(this.#request(), (attached) => this.#begin(attached));
    if (this.#isEnded()) this.#forgetStream();
  }

  #request(): AttachRequest {
    const { sessionId, mode, epoch, from, cols, rows } = this.#options;
    const size = this.#attached === undefined && cols !== undefined && rows !== undefined ? { cols, rows } : {};
    const viewer = this.#viewerId === undefined ? {} : { viewerId: this.#viewerId };
    const place = this.#stream.place ?? { ...(epoch === undefined ? {} : { epoch }), ...(from === undefined ? {} : { from }) };
    return { sessionId, mode, ...place, ...viewer, ...size };
  }

  #begin(attached: Attached): StreamEvents {
    this.#attached = attached;
    this.#viewerId = attached.viewerId;
    this.#stream.begin(attached, this.#options.from);
    if (!this.#isEnded()) {
      this.#setStatus('live');
      this.#input.resume(attached.lastSeq);
      const size = this.#wantedSize;
      if (size !== undefined) void this.resize(size.cols, size.rows).catch(() => undefined); // The wish stays and is made again.
    }
    return {
      ...this.#stream.events,
      control: () => undefined,
      restarted: () => {
        this.#stream.forgetPlace();
        this.#recover();
      },
      detached: ({ code }) => this.#detachedBy(code),
    };
  }

  #detachedBy(code: string): void {
    const error = isErrorCode(code)
      ? new ServiceError(code, `the gateway ended the viewer: ${code}`)
      : new ServiceError('internal', `the gateway ended the viewer: ${code}`);
    if (isErrorCode(code) && ERROR_CODES[code] === 'never') this.#end(error);
    else this.#recover();
  }

  /** Attaches again until it succeeds or can never; one run at a time. */
  #recover(): void {
    if (this.#isEnded()) return;
    this.#forgetStream();
    this.#input.suspend();
    this.#setStatus('reconnecting');
    if (this.#recovering) return;
    this.#recovering = true;
    void this.#recoverUntilLive().finally(() => (this.#recovering = false));
  }

  async #recoverUntilLive(): Promise<void> {
    while (!this.#isEnded() && this.#status !== 'live') {
      try {
        await this.#socket.connected();
        await this.#waitFor(this.#pause.next());
        if (!this.#isEnded()) await this.#attach();
      } catch (thrown) {
        this.#attachFailed(ServiceError.from(thrown));
      }
    }
  }

  #attachFailed(error: ServiceError): void {
    if (error.code === 'viewer.unknown' && this.#viewerId !== undefined) {
      this.#viewerId = undefined;
      this.#input.abandon(new ServiceError('link.closed', 'the server forgot this viewer before it took the input', { cause: error }));
    } else if (error.retry === 'never') {
      this.#end(error);
    }
  }

  #acknowledge(offset: number): void {
    if (this.#status !== 'live' || this.#attached === undefined) return;
    this.#pause.reset();
    this.#socket.acknowledge(this.#attached.attachId, offset);
  }

  #forgetStream(): void {
    if (this.#attached !== undefined) this.#socket.forget(this.#attached.attachId);
  }

  #setStatus(status: AttachmentStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    this.#handlers.onStatus?.(status);
  }

  #isEnded(): boolean {
    return this.#status === 'detached';
  }

  #waitFor(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
