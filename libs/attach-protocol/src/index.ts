/** The codec of holder sockets and attach link. The words of it: PROTOCOL.md. */
export { Channel, type Answer, type ChannelHandlers } from './channel.js';
export { FRAME_HEADER_BYTES, FrameDecoder, FrameType, MAX_FRAME_PAYLOAD_BYTES, frameHeader, type RawFrame } from './frame.js';
export {
  decodeMessage,
  encodeAck,
  encodeData,
  encodeDurable,
  encodeEvent,
  encodeHello,
  encodeOutput,
  encodeOutputPrefix,
  encodeRequest,
  encodeResponse,
  encodeWrite,
  type DataMessage,
  type Event,
  type Hello,
  type JsonObject,
  type Message,
  type OffsetMessage,
  type OutputMessage,
  type Request,
  type Response,
  type WriteMessage,
} from './messages.js';
export { PROTOCOL_VERSION, requireSupportedVersion } from './version.js';
export {
  HOLDER_FEATURES,
  MAX_HOLD_MS,
  type ControlVerbs,
  type ExitRecord,
  type HeldSession,
  type HolderAttached,
  type HolderEvent,
  type HolderHelloFacts,
  type SessionVerbs,
  type SpawnSpec,
  type Spawned,
} from './holder-verbs.js';
