/** Hands a stream to its consumer one piece at a time, waiting for each; adjoining output grows into larger pieces meanwhile. */

export interface DeliveryPort {
  /** The next piece begins only once the returned promise settles. */
  output(bytes: Uint8Array, offset: number): void | Promise<void>;
  /** All output before `offset` is consumed. */
  consumed(offset: number): void;
  /** Nothing is left to hand over. */
  idle(): void;
  /** The consumer threw; nothing more is handed over. */
  failed(cause: unknown): void;
}

type Item =
  | { readonly kind: 'start'; readonly offset: number; readonly run: () => void | Promise<void> }
  | { readonly kind: 'output'; readonly offset: number; readonly parts: Uint8Array[]; length: number }
  | { readonly kind: 'step'; readonly run: () => void | Promise<void> };

export class DeliveryQueue {
  readonly #port: DeliveryPort;
  readonly #maxPieceBytes: number;
  #items: Item[] = [];
  #running = false;
  #stopped = false;
  #handedOver: number;

  constructor(port: DeliveryPort, from: number, maxPieceBytes: number) {
    this.#port = port;
    this.#handedOver = from;
    this.#maxPieceBytes = maxPieceBytes;
  }

  /** Offset after the last byte the consumer was given, finished with or not. */
  get handedOver(): number {
    return this.#handedOver;
  }

  pushOutput(offset: number, bytes: Uint8Array): void {
    const last = this.#items.at(-1);
    if (last?.kind === 'output' && last.offset + last.length === offset && last.length + bytes.length <= this.#maxPieceBytes) {
      last.parts.push(bytes);
      last.length += bytes.length;
    } else {
      this.#items.push({ kind: 'output', offset, parts: [bytes], length: bytes.length });
    }
    void this.#run();
  }

  /** Anything else that has its place in the order of the bytes. */
  pushStep(run: () => void | Promise<void>): void {
    this.#items.push({ kind: 'step', run });
    void this.#run();
  }

  /** The stream begins again at `offset`; what waited is void. */
  pushStart(offset: number, run: () => void | Promise<void>): void {
    this.#items = [{ kind: 'start', offset, run }];
    void this.#run();
  }

  /** Forgets what was not handed over: it will be streamed again from `handedOver`. */
  dropWaiting(): void {
    this.#items = [];
  }

  stop(): void {
    this.#stopped = true;
    this.#items = [];
  }

  async #run(): Promise<void> {
    if (this.#running || this.#stopped) return;
    this.#running = true;
    try {
      for (let item = this.#items.shift(); item !== undefined; item = this.#items.shift()) await this.#handOver(item);
    } catch (thrown) {
      this.stop();
      this.#port.failed(thrown);
    } finally {
      this.#running = false;
    }
    if (!this.#stopped) this.#port.idle();
  }

  async #handOver(item: Item): Promise<void> {
    if (item.kind === 'start') this.#handedOver = item.offset;
    if (item.kind !== 'output') return item.run();
    const end = item.offset + item.length;
    this.#handedOver = end;
    const pending = this.#port.output(joined(item.parts, item.length), item.offset);
    if (pending !== undefined) await pending;
    if (!this.#stopped) this.#port.consumed(end);
  }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
