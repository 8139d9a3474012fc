/** CloudEvents and the subjects they travel on. */
import { z } from 'zod';
import { backendSchema, idSchema, sessionStateSchema } from './session.schema.js';

/** Subject root of an instance: `holdfast.v1`, or `holdfast-<instance>.v1`. */
export function subjectRoot(instance: string): string {
  return instance === 'default' ? 'holdfast.v1' : `holdfast-${instance}.v1`;
}

export const subjects = {
  hostBeat: (root: string, hostId: string) => `${root}.liveness.host.${hostId}`,
  allHostBeats: (root: string) => `${root}.liveness.host.*`,
} as const;

/** CloudEvents 1.0, JSON format, the attributes we set. */
export function cloudEventSchema<Type extends string, Data extends z.ZodType>(type: Type, data: Data) {
  return z.object({
    specversion: z.literal('1.0'),
    id: z.string().min(1),
    source: z.string().min(1),
    type: z.literal(type),
    subject: z.string().optional(),
    time: z.string(),
    datacontenttype: z.literal('application/json'),
    data,
  });
}

/** How often a host is heard, in milliseconds; three missed beats are silence. */
export const BEAT_INTERVAL_MS = 5_000;

export const hostBeatSchema = z.object({
  instance: z.string(),
  hostId: idSchema,
  bootId: z.string(),
  /** The supervisor's; grows with each of its starts. */
  term: z.int(),
  /** Counts beats of this term from 1. */
  seq: z.int(),
  capacity: z.object({ sessions: z.int(), holders: z.int() }),
  sessions: z.array(
    z.object({
      id: idSchema,
      epoch: z.int(),
      owner: z.string(),
      taskId: idSchema.optional(),
      backend: backendSchema,
      state: sessionStateSchema,
      pid: z.int().nullable(),
      /** Since the create, by the boot clock; null = unknown. */
      ageMs: z.number().nullable(),
      lastOutputAgoMs: z.number().nullable(),
      viewers: z.int(),
      /** How long a `service:` wants it after the create or its last repetition; absent = for ever. */
      ttlMs: z.int().min(0).optional(),
      /** Since the create or its last repetition; absent = never repeated, so `ageMs`; null = unknown. */
      renewedAgoMs: z.number().nullable().optional(),
      /** It carries the label `keep`: never reaped. */
      keep: z.boolean().optional(),
      /** False: adopted from a live process that no manifest names. Absent = true. */
      recorded: z.boolean().optional(),
      /** True: its pool is no more. */
      ownerGone: z.boolean().optional(),
    }),
  ),
});
export type HostBeat = z.infer<typeof hostBeatSchema>;
export const HOST_BEAT_TYPE = 'holdfast.liveness.host';
export const hostBeatEventSchema = cloudEventSchema(HOST_BEAT_TYPE, hostBeatSchema);
export type HostBeatEvent = z.infer<typeof hostBeatEventSchema>;
