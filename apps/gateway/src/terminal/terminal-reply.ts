/** Answers to what a socket asks: `{ok: true, …}` or the error, and nothing at all for who did not ask for an answer. */
import type { Ack } from '@holdfast/contracts';
import { Logger } from '@nestjs/common';
import { ServiceError } from '@holdfast/kernel';

const logger = new Logger('Terminal');

export interface Call {
  /** The arguments before the callback. */
  readonly values: readonly unknown[];
  reply(ack: Ack): void;
}

/** Splits what came with an event. A client may leave the callback out, or send anything else in its place. */
export function callOf(args: readonly unknown[]): Call {
  const last = args.at(-1);
  if (typeof last !== 'function') return { values: args, reply: () => undefined };
  return { values: args.slice(0, -1), reply: (ack) => void (last as (ack: Ack) => void)(ack) };
}

export function refusal(thrown: unknown): Ack {
  const error = ServiceError.from(thrown);
  if (error.code === 'internal') logger.error(error.cause ?? error);
  return { ok: false, code: error.code, retry: error.retry, detail: error.message };
}
