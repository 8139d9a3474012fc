/** The frame layer that holder sockets and the attach link share: length, type, payload. PROTOCOL.md describes it for other languages. */
import { ServiceError } from '@holdfast/kernel';

/** Frame types. Numbers are for ever; a receiver skips the ones it does not know (rule H6). */
export const FrameType = {
  hello: 0x01,
  request: 0x02,
  response: 0x03,
  event: 0x04,
  output: 0x10,
  ack: 0x11,
  write: 0x12,
  data: 0x13,
  durable: 0x14,
} as const;

/** 4 bytes of length and 1 of type. */
export const FRAME_HEADER_BYTES = 5;
/** Largest payload of one frame: a whole 1 MiB write and its header fit; anything longer is a broken or hostile peer. */
export const MAX_FRAME_PAYLOAD_BYTES = 1024 * 1024 + 64 * 1024;

export interface RawFrame {
  readonly type: number;
  /** A view into the receiver's buffer: copy what must outlive the callback. */
  readonly payload: Buffer;
}

/** The 5-byte header of a frame whose payload of `payloadBytes` follows. */
export function frameHeader(type: number, payloadBytes: number): Buffer {
  const header = Buffer.allocUnsafe(FRAME_HEADER_BYTES);
  header.writeUInt32BE(payloadBytes, 0);
  header[4] = type;
  return header;
}

/**
 * Cuts a byte stream into frames, whatever its chunks. Feed it every chunk in order; it calls `onFrame` for each whole frame.
 * @throws ServiceError `protocol.frame-too-large` at the header of an oversized frame; the decoder is of no use afterwards.
 */
export class FrameDecoder {
  private pending: Buffer[] = [];
  private pendingBytes = 0;

  constructor(private readonly onFrame: (frame: RawFrame) => void) {}

  push(chunk: Buffer): void {
    let input = chunk;
    if (this.pendingBytes > 0) {
      const needed = this.neededBytes();
      if (this.pendingBytes + chunk.length < needed) {
        this.keep(chunk);
        return;
      }
      input = Buffer.concat([...this.pending, chunk], this.pendingBytes + chunk.length);
      this.pending = [];
      this.pendingBytes = 0;
    }
    const rest = this.decodeFrom(input);
    if (rest < input.length) this.keep(input.subarray(rest));
  }

  /** Bytes of an unfinished frame held back. */
  get heldBytes(): number {
    return this.pendingBytes;
  }

  private decodeFrom(input: Buffer): number {
    let at = 0;
    while (input.length - at >= FRAME_HEADER_BYTES) {
      const length = checkedLength(input.readUInt32BE(at));
      const end = at + FRAME_HEADER_BYTES + length;
      if (end > input.length) break;
      this.onFrame({ type: input[at + 4] as number, payload: input.subarray(at + FRAME_HEADER_BYTES, end) });
      at = end;
    }
    return at;
  }

  private keep(bytes: Buffer): void {
    this.pending.push(bytes);
    this.pendingBytes += bytes.length;
  }

  /** Whole size of the frame whose start is held, so that chunks are joined once and not at every push. */
  private neededBytes(): number {
    if (this.pendingBytes < FRAME_HEADER_BYTES) return FRAME_HEADER_BYTES;
    if ((this.pending[0] as Buffer).length < 4) this.pending = [Buffer.concat(this.pending)];
    return FRAME_HEADER_BYTES + checkedLength((this.pending[0] as Buffer).readUInt32BE(0));
  }
}

function checkedLength(length: number): number {
  if (length > MAX_FRAME_PAYLOAD_BYTES) {
    throw new ServiceError('protocol.frame-too-large', `frame of ${length} bytes, the limit is ${MAX_FRAME_PAYLOAD_BYTES}`, {
      detail: { bytes: length, maxBytes: MAX_FRAME_PAYLOAD_BYTES },
    });
  }
  return length;
}
