/** The output side of a viewer: places bytes, resizes and the exit in order, hands them over, and acknowledges what is consumed. */
import type { Attached, ExitView, TerminalServerEvents } from '@holdfast/contracts';
import { AcknowledgementMeter } from './acknowledgement-meter.js';
import { DeliveryQueue } from './delivery-queue.js';
import { OutputCursor } from './output-cursor.js';
import type { StreamStart, TerminalHandlers, TerminalSize } from './terminal-handlers.js';

export interface OutputStreamPort {
  acknowledge(offset: number): void;
  /** A hole: the stream must be attached again. */
  broken(): void;
  /** A handler threw. */
  failed(cause: unknown): void;
}

/** How long a stream is silent before the remainder is acknowledged, in milliseconds: well below the 300 ms in which a viewer counts as awake. */
const IDLE_ACKNOWLEDGEMENT_MS = 100;

export class OutputStream {
  readonly #handlers: TerminalHandlers;
  readonly #port: OutputStreamPort;
  readonly #stepBytes: number;
  readonly #queue: DeliveryQueue;
  #cursor = new OutputCursor(0);
  #meter: AcknowledgementMeter;
  /** Of what the consumer was given; unset until it was given anything. */
  #epoch: number | undefined;
  #size: TerminalSize | undefined;
  #exitTold = false;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(handlers: TerminalHandlers, stepBytes: number, port: OutputStreamPort) {
    this.#handlers = handlers;
    this.#port = port;
    this.#stepBytes = stepBytes;
    this.#meter = new AcknowledgementMeter(0, stepBytes);
    this.#queue = new DeliveryQueue(
      {
        output: (bytes, offset) => handlers.onOutput(bytes, offset),
        consumed: (offset) => this.#acknowledge(this.#meter.consumed(offset)),
        idle: () => this.#startIdleTimer(),
        failed: (cause) => port.failed(cause),
      },
      0,
      stepBytes,
    );
  }

  /** Where to continue, once there is such a place; what waits for the consumer is forgotten with it, as it will come again. */
  get place(): { epoch: number; from: number } | undefined {
    this.#queue.dropWaiting();
    if (this.#epoch === undefined) return undefined;
    return { epoch: this.#epoch, from: this.#queue.handedOver };
  }

  /** The next attach starts anew: the session has another epoch. */
  forgetPlace(): void {
    this.#queue.dropWaiting();
    this.#epoch = undefined;
    this.#exitTold = false;
  }

  /** Attached. The stream goes on where it broke when it can, else the consumer is told to start again. */
  begin(attached: Attached, wanted: number | undefined): void {
    const expected = this.#epoch === undefined ? wanted : this.#queue.handedOver;
    const known = this.#epoch === undefined || this.#epoch === attached.epoch;
    const exact = attached.how === 'exact' && expected !== undefined && known && attached.offset <= expected;
    const offset = exact ? expected : attached.offset;
    if (this.#epoch === undefined || !exact) {
      const { epoch, cols, rows, state, snapshot, approximate } = attached;
      this.#start({ epoch, offset, cols, rows, state, approximate: approximate ?? false, ...(snapshot === undefined ? {} : { snapshot }) });
    } else {
      this.#cursor = new OutputCursor(offset);
      this.#resized(attached, offset);
    }
    // What is in the consumer's hands was of an earlier attach: this one counts from its own first byte.
    this.#meter = new AcknowledgementMeter(attached.offset, this.#stepBytes);
  }

  /** What the socket calls. */
  readonly events = {
    output: (offset: number, bytes: Uint8Array): void => {
      const placed = this.#cursor.take(offset, bytes);
      if (placed.kind === 'next') this.#queue.pushOutput(placed.offset, placed.bytes);
      if (placed.kind === 'hole') this.#port.broken();
    },
    resized: (event: Parameters<TerminalServerEvents['resized']>[0]): void => this.#resized(event, event.offset),
    resync: (event: Parameters<TerminalServerEvents['resync']>[0]): void => {
      const { offset, cols, rows, snapshot, approximate } = event;
      this.#start({ epoch: this.#epoch ?? 1, offset, cols, rows, snapshot, approximate, state: 'running' });
      this.#meter = new AcknowledgementMeter(offset, this.#stepBytes);
    },
    exit: ({ exit }: { exit: ExitView }): void =>
      this.#queue.pushStep(() => {
        if (this.#exitTold) return undefined;
        this.#exitTold = true;
        return this.#handlers.onExit?.(exit);
      }),
  };

  stop(): void {
    clearTimeout(this.#idleTimer);
    this.#queue.stop();
  }

  #start(start: StreamStart): void {
    this.#cursor = new OutputCursor(start.offset);
    this.#queue.pushStart(start.offset, () => {
      this.#epoch = start.epoch;
      this.#size = { cols: start.cols, rows: start.rows };
      return this.#handlers.onStart?.(start);
    });
  }

  #resized({ cols, rows }: TerminalSize, offset: number): void {
    this.#queue.pushStep(() => {
      if (this.#size?.cols === cols && this.#size.rows === rows) return undefined;
      this.#size = { cols, rows };
      return this.#handlers.onResized?.({ cols, rows }, offset);
    });
  }

  #acknowledge(offset: number | undefined): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = undefined;
    if (offset !== undefined) this.#port.acknowledge(offset);
  }

  #startIdleTimer(): void {
    this.#idleTimer ??= setTimeout(() => this.#acknowledge(this.#meter.idle()), IDLE_ACKNOWLEDGEMENT_MS);
  }
}
