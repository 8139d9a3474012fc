/** `GET /v1/health`, `GET /v1/hosts`, and what `up` writes about the running services. */
import { z } from 'zod';
import { reaperStatusSchema } from './reaper.schema.js';
import { idSchema } from './session.schema.js';

const status = z.enum(['ok', 'unreachable', 'unknown']);

export const healthSchema = z.object({
  status: z.enum(['ok', 'degraded']),
  instance: z.string(),
  gateway: z.object({ status: z.literal('ok'), viewers: z.int(), uptimeMs: z.number() }),
  supervisors: z.array(z.object({ hostId: idSchema.nullable(), status, term: z.int().nullable(), sessions: z.int().nullable() })),
  nats: z.object({ status }),
  taskService: z.object({ status }),
  /** The reaper's counters as it last told them; `unknown` without a broker. */
  sessionReaper: z.discriminatedUnion('status', [
    reaperStatusSchema.extend({ status: z.literal('ok') }),
    z.object({ status: z.enum(['unreachable', 'unknown']) }),
  ]),
});
export type Health = z.infer<typeof healthSchema>;

/** A host as one gateway knows it: by its link, and by the beats it heard. */
export const hostSchema = z.object({
  hostId: idSchema,
  /** The link's word for the gateway's own machine; for others whether one of the last three beats was heard. */
  status: z.enum(['ok', 'unreachable']),
  /** `none`: another machine, known by its beats alone. */
  link: z.enum(['up', 'down', 'none']),
  term: z.int(),
  /** Null: this gateway never heard it. */
  lastBeatAgoMs: z.number().nullable(),
  capacity: z.object({ sessions: z.int(), holders: z.int() }).nullable(),
  /** Live ones, at the last beat. */
  sessions: z.int().nullable(),
});
export type Host = z.infer<typeof hostSchema>;
export const hostListSchema = z.object({ items: z.array(hostSchema) });
export type HostList = z.infer<typeof hostListSchema>;

/** `<state>/up.json`. */
export const upStateSchema = z.object({
  services: z.array(z.object({ name: z.string(), pid: z.int(), url: z.string().optional() })),
  gateways: z.array(z.string()),
  natsUrl: z.string(),
  subjectRoot: z.string(),
});
export type UpState = z.infer<typeof upStateSchema>;

/** What a service tells the process that started it (over its IPC channel) once it serves. */
export const serviceReadySchema = z.object({ ready: z.literal(true), url: z.string().optional() });
export type ServiceReady = z.infer<typeof serviceReadySchema>;

/** Exit codes of `up` and the services. */
export const ExitCode = { ok: 0, failed: 1, usage: 2, missingProgram: 3, instanceInUse: 4, badConfiguration: 5 } as const;
