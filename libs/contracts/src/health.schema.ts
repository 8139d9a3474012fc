/** `GET /v1/health` and what `up` writes about the running services. */
import { z } from 'zod';
import { idSchema } from './session.schema.js';

const status = z.enum(['ok', 'unreachable', 'unknown']);

export const healthSchema = z.object({
  status: z.enum(['ok', 'degraded']),
  instance: z.string(),
  gateway: z.object({ status: z.literal('ok'), viewers: z.int(), uptimeMs: z.number() }),
  supervisors: z.array(z.object({ hostId: idSchema.nullable(), status, term: z.int().nullable(), sessions: z.int().nullable() })),
  nats: z.object({ status }),
});
export type Health = z.infer<typeof healthSchema>;

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
