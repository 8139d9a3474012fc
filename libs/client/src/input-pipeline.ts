/** Sends input in order without waiting for each answer, and again, under the same numbers, when it may not have arrived. */
import { ServiceError } from '@holdfast/kernel';
import { GrowingPause } from './growing-pause.js';
import { InputLedger, type InputEntry } from './input-ledger.js';
import { LONGEST_RECONNECT_PAUSE_MS } from './terminal-socket.js';

export interface InputPort {
  send(seq: number, bytes: Uint8Array): Promise<void>;
  /** What was applied is not known: attach again, which tells the last sequence, and then call `resume`. */
  lostTrack(): void;
}

interface Settle {
  resolve(): void;
  reject(error: ServiceError): void;
}

/** Input waiting for its acknowledgement, at most; more is refused with `session.input-stalled`. */
const MAX_PENDING_INPUT_BYTES = 4 * 1024 * 1024;
const FIRST_RETRY_PAUSE_MS = 100;

export class InputPipeline {
  readonly #port: InputPort;
  readonly #ledger = new InputLedger<Settle>(MAX_PENDING_INPUT_BYTES);
  readonly #pause = new GrowingPause(FIRST_RETRY_PAUSE_MS, LONGEST_RECONNECT_PAUSE_MS);
  #open = false;
  /** Grows each time the pending writes are sent anew; failures of an earlier round say nothing about the present one. */
  #round = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(port: InputPort) {
    this.#port = port;
  }

  /** Settles once the session has taken the bytes, also when that is only after a reconnect. */
  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      const entry = this.#ledger.add(bytes, { resolve, reject });
      if (entry === undefined)
        reject(new ServiceError('session.input-stalled', `more than ${MAX_PENDING_INPUT_BYTES} bytes of input are waiting`));
      else if (this.#open) this.#send(entry);
    });
  }

  /** Nothing is sent until `resume`. */
  suspend(): void {
    this.#open = false;
    this.#round += 1;
    clearTimeout(this.#timer);
  }

  /** Attached: the server has applied `lastSeq` of this viewer. */
  resume(lastSeq: number): void {
    for (const entry of this.#ledger.resume(lastSeq)) entry.tag.resolve();
    this.#open = true;
    this.#sendAll();
  }

  /** No attachment, or not of the same viewer any more: what is waiting fails, and may have been applied. */
  abandon(error: ServiceError): void {
    this.suspend();
    for (const entry of this.#ledger.clear()) entry.tag.reject(error);
  }

  #sendAll(): void {
    clearTimeout(this.#timer);
    this.#round += 1;
    for (const entry of this.#ledger.pending) this.#send(entry);
  }

  #send(entry: InputEntry<Settle>): void {
    const round = this.#round;
    this.#port.send(entry.seq, entry.bytes).then(
      () => this.#applied(entry),
      (thrown: unknown) => this.#failed(entry, round, ServiceError.from(thrown)),
    );
  }

  #applied(entry: InputEntry<Settle>): void {
    this.#pause.reset();
    for (const settled of this.#ledger.applied(entry)) settled.tag.resolve();
  }

  #failed(entry: InputEntry<Settle>, round: number, error: ServiceError): void {
    if (round !== this.#round) return;
    const gap = error.code === 'session.input-gap';
    if (gap || error.retry === 'unknown') {
      this.suspend();
      this.#port.lostTrack();
    } else if (error.retry === 'safe') {
      this.#round += 1;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#sendAll(), this.#pause.next());
    } else {
      this.#ledger.refused(entry);
      entry.tag.reject(error);
      this.#sendAll();
    }
  }
}
