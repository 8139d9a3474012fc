/** The codec over every chunking, and against bytes that never change. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  FrameDecoder,
  MAX_FRAME_PAYLOAD_BYTES,
  decodeMessage,
  encodeAck,
  encodeData,
  encodeDurable,
  encodeEvent,
  encodeHello,
  encodeOutput,
  encodeRequest,
  encodeResponse,
  encodeWrite,
  frameHeader,
  type Message,
} from './index.js';

const offset = fc.maxSafeNat();
const u32 = fc.integer({ min: 0, max: 0xffff_ffff });
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const json = fc.dictionary(
  fc.string().filter((key) => key !== '__proto__' && key !== 'id' && key !== 'verb' && key !== 'event'),
  fc.jsonValue().filter((value) => JSON.stringify(value) === JSON.stringify(JSON.parse(JSON.stringify(value)))),
);

const message: fc.Arbitrary<{ encoded: Buffer; message: Message }> = fc.oneof(
  fc
    .record({ stream: u32, offset, bytes })
    .map((output) => ({ encoded: encodeOutput(output), message: { type: 'output' as const, output } })),
  fc.record({ stream: u32, offset }).map((ack) => ({ encoded: encodeAck(ack), message: { type: 'ack' as const, ack } })),
  fc
    .record({ stream: u32, offset })
    .map((durable) => ({ encoded: encodeDurable(durable), message: { type: 'durable' as const, durable } })),
  fc
    .record({ id: u32, stream: u32, seq: u32, viewerId: fc.stringMatching(/^[a-z0-9.]{0,64}$/), bytes })
    .map((write) => ({ encoded: encodeWrite(write), message: { type: 'write' as const, write } })),
  fc.record({ id: u32, bytes }).map((data) => ({
    encoded: encodeData({ ...data, head: { a: 1 } }),
    message: { type: 'data' as const, data: { ...data, head: { a: 1 } } },
  })),
  fc
    .record({ id: fc.nat(), verb: fc.string() })
    .map((request) => ({ encoded: encodeRequest(request), message: { type: 'request' as const, request } })),
  json.map((extra) => {
    const event = { ...JSON.parse(JSON.stringify(extra)), event: 'x' };
    return { encoded: encodeEvent(event), message: { type: 'event' as const, event } };
  }),
);

/** Cuts at the given fractions of the whole. */
function cut(whole: Buffer, at: readonly number[]): Buffer[] {
  const places = [...at.map((fraction) => Math.floor(fraction * whole.length)), 0, whole.length].sort((a, b) => a - b);
  return places.slice(1).map((end, index) => whole.subarray(places[index], end));
}

function decodeAll(chunks: readonly Buffer[]): Message[] {
  const messages: Message[] = [];
  const decoder = new FrameDecoder((frame) => messages.push(decodeMessage({ type: frame.type, payload: Buffer.from(frame.payload) })));
  for (const chunk of chunks) decoder.push(chunk);
  return messages;
}

describe('the codec', () => {
  it('gives back every message whatever the chunks', () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 12 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }),
        (messages, cuts) => {
          const whole = Buffer.concat(messages.map(({ encoded }) => encoded));
          expect(decodeAll(cut(whole, cuts))).toEqual(messages.map((each) => each.message));
        },
      ),
    );
  });

  it('gives back messages that arrive byte by byte', () => {
    const whole = Buffer.concat([
      encodeOutput({ stream: 1, offset: 2 ** 40, bytes: Buffer.from('é') }),
      encodeAck({ stream: 1, offset: 7 }),
    ]);
    expect(
      decodeAll(
        cut(
          whole,
          Array.from(whole, (_, index) => index / whole.length),
        ),
      ),
    ).toHaveLength(2);
  });

  it('refuses an oversized frame at its header, before its bytes', () => {
    expect(() => decodeAll([frameHeader(0x10, MAX_FRAME_PAYLOAD_BYTES + 1)])).toThrow(
      expect.objectContaining({ code: 'protocol.frame-too-large' }),
    );
  });

  it('never throws anything but typed errors on arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0x20 }), bytes, (type, payload) => {
        try {
          decodeMessage({ type, payload });
        } catch (error) {
          expect((error as { code?: string }).code).toBe('protocol.malformed');
        }
      }),
    );
  });

  it('hands on frame types it does not know', () => {
    expect(decodeAll([Buffer.concat([frameHeader(0x7f, 3), Buffer.from('abc')])])).toEqual([{ type: 'unknown', frameType: 0x7f }]);
  });

  it('encodes to the recorded bytes of version 1', () => {
    const fixtures = JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures/version-1.json'), 'utf8')) as Record<string, string>;
    const encoded = {
      hello: encodeHello({ protocol: 1, build: 'b', features: ['spawn'], term: 2 }),
      request: encodeRequest({ id: 1, verb: 'list' }),
      response: encodeResponse({ id: 1, ok: true }),
      refusal: encodeResponse({ id: 1, ok: false, error: { code: 'holder.full', retry: 'safe', message: 'm' } }),
      event: encodeEvent({ event: 'ended', offset: 5 }),
      output: encodeOutput({ stream: 3, offset: 2 ** 33 + 1, bytes: Buffer.from('hi') }),
      ack: encodeAck({ stream: 3, offset: 9 }),
      write: encodeWrite({ id: 4, stream: 0, seq: 2, viewerId: 'v1', bytes: Buffer.from('x') }),
      data: encodeData({ id: 5, head: { a: 1 }, bytes: Buffer.from('y') }),
      durable: encodeDurable({ stream: 0, offset: 9 }),
    };
    expect(Object.fromEntries(Object.entries(encoded).map(([name, frame]) => [name, frame.toString('hex')]))).toEqual(fixtures);
  });
});
