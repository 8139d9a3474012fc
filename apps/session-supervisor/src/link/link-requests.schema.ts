/** The link's requests, parsed once on arrival. Unknown fields are ignored: gateways may be newer. */
import { createSessionSchema, idSchema, type LinkVerb } from '@holdfast/contracts';
import type { JsonObject } from '@holdfast/attach-protocol';
import { ServiceError } from '@holdfast/kernel';
import { z } from 'zod';

const offset = z.int().min(0);
const epoch = z.int().min(1);
const side = z.int().min(1).max(1000);
/** One byte says its length on the wire. */
const viewerId = z.string().regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters');

export const linkRequests = {
  list: z.object({}),
  get: z.object({ sessionId: idSchema }),
  create: z.object({ spec: createSessionSchema }),
  read: z.object({ sessionId: idSchema, epoch: epoch.optional(), from: offset.optional(), limit: z.int().min(1) }),
  follow: z.object({ sessionId: idSchema, epoch, from: offset.optional() }),
  unfollow: z.object({ feed: z.int() }),
  attach: z.object({ sessionId: idSchema, epoch: epoch.optional(), viewerId, mode: z.enum(['read', 'write']) }),
  detach: z.object({ viewer: z.int() }),
  resize: z.object({ sessionId: idSchema, epoch: epoch.optional(), viewer: z.int().optional(), cols: side, rows: side }),
  kill: z.object({
    sessionId: idSchema,
    epoch: epoch.optional(),
    graceMs: z.int().min(0).max(600_000).optional(),
    purge: z.boolean().optional(),
  }),
  write: z.object({ sessionId: idSchema, epoch: epoch.optional() }),
} as const satisfies Record<LinkVerb, z.ZodType>;

export type LinkRequest<Verb extends LinkVerb> = z.infer<(typeof linkRequests)[Verb]>;

export function isLinkVerb(verb: string): verb is LinkVerb {
  return Object.hasOwn(linkRequests, verb);
}

/** @throws ServiceError `request.invalid` naming the first fault. */
export function parseRequest<T>(schema: z.ZodType<T>, request: JsonObject): T {
  const parsed = schema.safeParse(request);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ServiceError('request.invalid', `${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is invalid'}`.trim());
}

/** A gateway's wish that a feed's session be held (`LinkHold`). */
export const linkHoldSchema = z.object({ event: z.literal('hold'), feed: z.int(), forMs: z.number().min(0).max(2_000) });
