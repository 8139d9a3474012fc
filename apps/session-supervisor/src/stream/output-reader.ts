/** Answers one bounded read of a session's output, or says by type what cannot be served. */
import { MAX_LINK_READ_BYTES, type ReadFacts } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import type { SessionStream } from './session-stream.js';

/** Resizes told with one read: more end the read early, so that the head fits its frame. */
export const MAX_READ_RESIZES = 1000;

export interface ReadWish {
  readonly epoch: number;
  /** Default: the earliest readable. */
  readonly from?: number;
  readonly limit: number;
}

export interface OutputRead {
  readonly facts: ReadFacts;
  readonly bytes: Buffer;
}

/**
 * All there is up to the limit (at most `MAX_LINK_READ_BYTES`); empty at the end.
 * @throws ServiceError `session.output-beyond-end`, `session.output-pruned`, `session.output-gap`, with offsets in `detail`.
 */
export async function readOutput(stream: SessionStream, wish: ReadWish): Promise<OutputRead> {
  const earliestOffset = stream.earliestOffset;
  const endOffset = stream.endOffset;
  const offset = wish.from ?? earliestOffset;
  if (offset > endOffset) throw beyondEnd(offset, earliestOffset, endOffset);
  const bytes = await gather(stream, offset, resizeLimit(stream, offset, Math.min(wish.limit, MAX_LINK_READ_BYTES)));
  const nextOffset = offset + bytes.length;
  const size = stream.sizes.at(stream.sizes.indexAt(offset));
  return {
    facts: {
      epoch: wish.epoch,
      offset,
      nextOffset,
      earliestOffset,
      endOffset: Math.max(endOffset, nextOffset),
      cols: size?.cols ?? 0,
      rows: size?.rows ?? 0,
      resizes: stream.sizes.within(offset, nextOffset),
    },
    bytes,
  };
}

async function gather(stream: SessionStream, from: number, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let taken = 0;
  while (taken < limit) {
    const part = await stream.read(from + taken, limit - taken);
    if (part.kind === 'bytes') {
      chunks.push(part.bytes);
      taken += part.bytes.length;
    } else if (taken === 0 && part.kind === 'pruned') throw pruned(from, part.earliestOffset);
    else if (taken === 0 && part.kind === 'gap') throw gap(part.from, part.to);
    else break;
  }
  return Buffer.concat(chunks, taken);
}

function resizeLimit(stream: SessionStream, offset: number, limit: number): number {
  const tooMany = stream.sizes.within(offset, offset + limit)[MAX_READ_RESIZES];
  return tooMany ? Math.max(1, tooMany.offset - offset - 1) : limit;
}

export function pruned(offset: number, earliestOffset: number): ServiceError {
  return new ServiceError('session.output-pruned', `offset ${offset} is not kept any more; the earliest is ${earliestOffset}`, {
    detail: { earliestOffset },
  });
}

export function gap(gapFrom: number, gapTo: number): ServiceError {
  return new ServiceError('session.output-gap', `output from ${gapFrom} to ${gapTo} was not recorded`, { detail: { gapFrom, gapTo } });
}

export function beyondEnd(offset: number, earliestOffset: number, endOffset: number): ServiceError {
  return new ServiceError('session.output-beyond-end', `offset ${offset} lies beyond the end, ${endOffset}`, {
    detail: { earliestOffset, endOffset },
  });
}
