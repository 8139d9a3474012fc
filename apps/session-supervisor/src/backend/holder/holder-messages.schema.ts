/** What holders say, parsed once on arrival. Unknown fields are ignored, unknown events skipped: holders may be newer or older. */
import type { JsonObject } from '@holdfast/attach-protocol';
import { ServiceError } from '@holdfast/kernel';
import { z } from 'zod';

const count = z.int().min(0);

export const helloFactsSchema = z.object({
  holderId: z.string(),
  bootId: z.string(),
  pid: count,
  startTime: count,
  nonce: z.string(),
  capacity: count,
  term: count,
});

export const heldSessionSchema = z.object({
  sessionId: z.string(),
  epoch: count,
  pid: count,
  startTime: count,
  state: z.enum(['running', 'exited']),
});
export type Held = z.infer<typeof heldSessionSchema>;

export const listSchema = z.object({ sessions: z.array(heldSessionSchema) });
export const spawnedSchema = z.object({ pid: count, startTime: count, cwd: z.string() });
export const attachedSchema = heldSessionSchema.extend({ offset: count, cols: count, rows: count, recordingStopped: z.boolean() });
export const sequenceSchema = z.object({ lastSeq: count });
export const resizedSchema = z.object({ offset: count, changed: z.boolean() });
export const acceptedSchema = z.object({ accepted: count, duplicate: z.boolean().optional() });

export const exitRecordSchema = z.object({
  sessionId: z.string(),
  epoch: count,
  exit: z.union([z.object({ code: z.int() }), z.object({ signal: z.string() })]),
  endedAt: z.string(),
  offset: count,
});
export const exitAnswerSchema = z.object({ record: exitRecordSchema.nullable() });

export const holderEventSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('resized'), offset: count, cols: count, rows: count }),
  z.object({ event: z.literal('exited'), record: exitRecordSchema }),
  z.object({ event: z.literal('ended'), offset: count }),
  z.object({ event: z.literal('recording'), stopped: z.boolean(), offset: count }),
]);

/** @throws ServiceError `protocol.malformed` naming what was asked for. */
export function parseAnswer<T>(schema: z.ZodType<T>, head: JsonObject, what: string): T {
  const parsed = schema.safeParse(head);
  if (parsed.success) return parsed.data;
  throw new ServiceError(
    'protocol.malformed',
    `a holder's answer to ${what} has not its form: ${parsed.error.issues[0]?.path.join('.') ?? ''}`,
  );
}
