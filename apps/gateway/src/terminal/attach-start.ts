/** Where a viewer's stream begins: at the offset it asks for when that can be served exactly, else at the oldest one there is. */
import type { TerminalSize } from '@holdfast/domain-session';
import { ServiceError } from '@holdfast/kernel';
import type { OutputFeed } from '../streaming/output-feed.js';
import type { OutputSpan } from '../streaming/output-span.js';
import { spanOf } from '../streaming/viewer-stream.js';

export interface AttachStart {
  readonly offset: number;
  /** In effect at `offset`. */
  readonly size: TerminalSize;
  /** Output from `offset` that had to be read to know the size. */
  readonly ahead?: OutputSpan;
}

/** Read for the size at the start, and sent first. */
const FIRST_READ_BYTES = 64 * 1024;
/** The oldest segment may be pruned while we ask for it; each time it is a newer one. */
const MAX_TRIES = 4;

/**
 * Judges the raw `from` of an attach, before anything else of it.
 * @throws ServiceError `stream.bad-offset` when it is no byte count, `stream.epoch-required` when it could be of any epoch.
 */
export function checkFrom(request: unknown): void {
  if (typeof request !== 'object' || request === null || !('from' in request) || request.from === undefined) return;
  const { from } = request;
  if (!Number.isSafeInteger(from) || (from as number) < 0) {
    throw new ServiceError('stream.bad-offset', 'from must be a whole number of bytes, 0 or more');
  }
  if (!('epoch' in request) || request.epoch === undefined) {
    throw new ServiceError('stream.epoch-required', 'from counts the bytes of one epoch: name it');
  }
}

/** The client sees that it got another offset than it asked for. */
export function decideOffset(from: number | undefined, readable: { readonly earliestOffset: number; readonly offset: number }): number {
  const canServe = from !== undefined && from >= readable.earliestOffset && from <= readable.offset;
  return canServe ? from : readable.earliestOffset;
}

/** The size at `offset`, or at the next one that can be read. @throws ServiceError what reading says. */
export async function locateStart(feed: OutputFeed, offset: number): Promise<AttachStart> {
  let at = offset;
  for (let tries = 1; ; tries += 1) {
    const { live } = feed;
    if (live?.covers(at)) return { offset: at, size: live.sizeAt(at) };
    try {
      const result = await feed.read(at, FIRST_READ_BYTES);
      const { offset: start, cols, rows } = result.facts;
      return { offset: start, size: { cols, rows }, ahead: spanOf(result) };
    } catch (error) {
      const next = nextReadable(error);
      if (next === undefined || next <= at || tries === MAX_TRIES) throw error;
      at = next;
    }
  }
}

function nextReadable(error: unknown): number | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const next =
    error.code === 'session.output-pruned'
      ? error.detail?.['earliestOffset']
      : error.code === 'session.output-gap'
        ? error.detail?.['gapTo']
        : undefined;
  return typeof next === 'number' ? next : undefined;
}
