/** What the frames say: typed messages and their encoding. Binary where bytes flow, JSON where people debug. */
import { ServiceError, type ErrorBody } from '@holdfast/kernel';
import { FRAME_HEADER_BYTES, FrameType, frameHeader, type RawFrame } from './frame.js';

export type JsonObject = { readonly [key: string]: unknown };

/** First message in each direction. `term` is the supervisor's; a holder refuses one lower than the highest it has seen. */
export interface Hello extends JsonObject {
  readonly protocol: number;
  readonly build: string;
  readonly features: readonly string[];
  readonly term?: number;
}

export type Request = JsonObject & { readonly id: number; readonly verb: string };
export type Response = JsonObject & { readonly id: number } & ({ readonly ok: true } | { readonly ok: false; readonly error: ErrorBody });
export type Event = JsonObject & { readonly event: string };

/** Output bytes of a stream; `offset` is that of the first byte. */
export interface OutputMessage {
  readonly stream: number;
  readonly offset: number;
  readonly bytes: Buffer;
}

/** Everything of `stream` below `offset` was taken in (ack) or is on disk (durable). */
export interface OffsetMessage {
  readonly stream: number;
  readonly offset: number;
}

/** Input. `seq` counts from 1 per viewer and is applied once; 0 with an empty `viewerId` is input without a sequence (REST). */
export interface WriteMessage {
  readonly id: number;
  readonly stream: number;
  readonly seq: number;
  readonly viewerId: string;
  readonly bytes: Buffer;
}

/** JSON facts with bytes: the answer to a request for bytes, or (with `verb` in its head) a request that carries some. */
export interface DataMessage {
  readonly id: number;
  readonly head: JsonObject;
  readonly bytes: Buffer;
}

export type Message =
  | { readonly type: 'hello'; readonly hello: Hello }
  | { readonly type: 'request'; readonly request: Request }
  | { readonly type: 'response'; readonly response: Response }
  | { readonly type: 'event'; readonly event: Event }
  | { readonly type: 'output'; readonly output: OutputMessage }
  | { readonly type: 'ack'; readonly ack: OffsetMessage }
  | { readonly type: 'durable'; readonly durable: OffsetMessage }
  | { readonly type: 'write'; readonly write: WriteMessage }
  | { readonly type: 'data'; readonly data: DataMessage }
  | { readonly type: 'unknown'; readonly frameType: number };

const OUTPUT_PREFIX_BYTES = 12;
const WRITE_PREFIX_BYTES = 13;
const DATA_PREFIX_BYTES = 8;
/** Offsets are unsigned 64-bit on the wire and exact integers here: 2^53 bytes is 290 years of 1 MB/s. */
const TWO_POW_32 = 0x1_0000_0000;

export function encodeHello(hello: Hello): Buffer {
  return encodeJson(FrameType.hello, hello);
}
export function encodeRequest(request: Request): Buffer {
  return encodeJson(FrameType.request, request);
}
export function encodeResponse(response: Response): Buffer {
  return encodeJson(FrameType.response, response);
}
export function encodeEvent(event: Event): Buffer {
  return encodeJson(FrameType.event, event);
}

/** Frame header and prefix of an output message; send the `byteLength` bytes right after it, in place of a copy. */
export function encodeOutputPrefix(stream: number, offset: number, byteLength: number): Buffer {
  const prefix = Buffer.allocUnsafe(FRAME_HEADER_BYTES + OUTPUT_PREFIX_BYTES);
  prefix.writeUInt32BE(OUTPUT_PREFIX_BYTES + byteLength, 0);
  prefix[4] = FrameType.output;
  prefix.writeUInt32BE(stream, FRAME_HEADER_BYTES);
  writeOffset(prefix, offset, FRAME_HEADER_BYTES + 4);
  return prefix;
}

export function encodeOutput(output: OutputMessage): Buffer {
  return Buffer.concat([encodeOutputPrefix(output.stream, output.offset, output.bytes.length), output.bytes]);
}

export function encodeAck(ack: OffsetMessage): Buffer {
  return encodeOffset(FrameType.ack, ack);
}
export function encodeDurable(durable: OffsetMessage): Buffer {
  return encodeOffset(FrameType.durable, durable);
}

export function encodeWrite(write: WriteMessage): Buffer {
  const viewer = Buffer.from(write.viewerId, 'latin1');
  if (viewer.length > 255) throw new ServiceError('protocol.malformed', `viewer id of ${viewer.length} bytes, the limit is 255`);
  const prefix = Buffer.allocUnsafe(WRITE_PREFIX_BYTES);
  prefix.writeUInt32BE(write.id, 0);
  prefix.writeUInt32BE(write.stream, 4);
  prefix.writeUInt32BE(write.seq, 8);
  prefix[12] = viewer.length;
  const payloadBytes = WRITE_PREFIX_BYTES + viewer.length + write.bytes.length;
  return Buffer.concat([frameHeader(FrameType.write, payloadBytes), prefix, viewer, write.bytes]);
}

export function encodeData(data: DataMessage): Buffer {
  const head = Buffer.from(JSON.stringify(data.head), 'utf8');
  const prefix = Buffer.allocUnsafe(DATA_PREFIX_BYTES);
  prefix.writeUInt32BE(data.id, 0);
  prefix.writeUInt32BE(head.length, 4);
  const payloadBytes = DATA_PREFIX_BYTES + head.length + data.bytes.length;
  return Buffer.concat([frameHeader(FrameType.data, payloadBytes), prefix, head, data.bytes]);
}

/**
 * The message in a frame. `bytes` are views into the frame's payload.
 * @throws ServiceError `protocol.malformed` for a known type whose payload has not its form.
 */
export function decodeMessage(frame: RawFrame): Message {
  const { payload } = frame;
  switch (frame.type) {
    case FrameType.hello:
      return { type: 'hello', hello: parseHello(parseJson(payload)) };
    case FrameType.request:
      return { type: 'request', request: parseRequest(parseJson(payload)) };
    case FrameType.response:
      return { type: 'response', response: parseResponse(parseJson(payload)) };
    case FrameType.event:
      return { type: 'event', event: parseEvent(parseJson(payload)) };
    case FrameType.output:
      return { type: 'output', output: decodeOutput(payload) };
    case FrameType.ack:
      return { type: 'ack', ack: decodeOffset(payload) };
    case FrameType.durable:
      return { type: 'durable', durable: decodeOffset(payload) };
    case FrameType.write:
      return { type: 'write', write: decodeWrite(payload) };
    case FrameType.data:
      return { type: 'data', data: decodeData(payload) };
    default:
      return { type: 'unknown', frameType: frame.type };
  }
}

function encodeJson(type: number, value: JsonObject): Buffer {
  const payload = Buffer.from(JSON.stringify(value), 'utf8');
  return Buffer.concat([frameHeader(type, payload.length), payload]);
}

function encodeOffset(type: number, message: OffsetMessage): Buffer {
  const payload = Buffer.allocUnsafe(OUTPUT_PREFIX_BYTES);
  payload.writeUInt32BE(message.stream, 0);
  writeOffset(payload, message.offset, 4);
  return Buffer.concat([frameHeader(type, payload.length), payload]);
}

function writeOffset(target: Buffer, offset: number, at: number): void {
  if (!Number.isSafeInteger(offset) || offset < 0) throw new ServiceError('protocol.malformed', `offset ${offset} is not a byte count`);
  target.writeUInt32BE(Math.floor(offset / TWO_POW_32), at);
  target.writeUInt32BE(offset % TWO_POW_32, at + 4);
}

function readOffset(source: Buffer, at: number): number {
  const offset = source.readUInt32BE(at) * TWO_POW_32 + source.readUInt32BE(at + 4);
  if (!Number.isSafeInteger(offset)) throw malformed('an offset over 2^53');
  return offset;
}

function decodeOutput(payload: Buffer): OutputMessage {
  if (payload.length < OUTPUT_PREFIX_BYTES) throw malformed('an output frame shorter than its prefix');
  return { stream: payload.readUInt32BE(0), offset: readOffset(payload, 4), bytes: payload.subarray(OUTPUT_PREFIX_BYTES) };
}

function decodeOffset(payload: Buffer): OffsetMessage {
  if (payload.length < OUTPUT_PREFIX_BYTES) throw malformed('an offset frame shorter than 12 bytes');
  return { stream: payload.readUInt32BE(0), offset: readOffset(payload, 4) };
}

function decodeWrite(payload: Buffer): WriteMessage {
  const viewerBytes = payload.length < WRITE_PREFIX_BYTES ? Infinity : (payload[12] as number);
  if (payload.length < WRITE_PREFIX_BYTES + viewerBytes) throw malformed('a write frame shorter than its prefix');
  return {
    id: payload.readUInt32BE(0),
    stream: payload.readUInt32BE(4),
    seq: payload.readUInt32BE(8),
    viewerId: payload.toString('latin1', WRITE_PREFIX_BYTES, WRITE_PREFIX_BYTES + viewerBytes),
    bytes: payload.subarray(WRITE_PREFIX_BYTES + viewerBytes),
  };
}

function decodeData(payload: Buffer): DataMessage {
  const headBytes = payload.length < DATA_PREFIX_BYTES ? Infinity : payload.readUInt32BE(4);
  if (payload.length < DATA_PREFIX_BYTES + headBytes) throw malformed('a data frame shorter than its head');
  return {
    id: payload.readUInt32BE(0),
    head: parseJson(payload.subarray(DATA_PREFIX_BYTES, DATA_PREFIX_BYTES + headBytes)),
    bytes: payload.subarray(DATA_PREFIX_BYTES + headBytes),
  };
}

function parseJson(payload: Buffer): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(payload.toString('utf8'));
  } catch (error) {
    throw new ServiceError('protocol.malformed', 'a control frame that is not JSON', { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed('a control frame that is no JSON object');
  return value as JsonObject;
}

function parseHello(value: JsonObject): Hello {
  const { protocol, build, features, term } = value;
  if (!isCount(protocol) || typeof build !== 'string') throw malformed('a hello without protocol and build');
  if (!Array.isArray(features) || !features.every((f) => typeof f === 'string')) throw malformed('a hello whose features are no strings');
  if (term !== undefined && !isCount(term)) throw malformed('a hello whose term is no count');
  return value as Hello;
}

function parseRequest(value: JsonObject): Request {
  if (!isCount(value['id']) || typeof value['verb'] !== 'string') throw malformed('a request without id and verb');
  return value as Request;
}

function parseResponse(value: JsonObject): Response {
  if (!isCount(value['id']) || typeof value['ok'] !== 'boolean') throw malformed('a response without id and ok');
  return value as unknown as Response;
}

function parseEvent(value: JsonObject): Event {
  if (typeof value['event'] !== 'string') throw malformed('an event without a name');
  return value as Event;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function malformed(what: string): ServiceError {
  return new ServiceError('protocol.malformed', `received ${what}`);
}
