/** A session's record on disk: what was asked for, who holds it, how it ended. One file per session, written by the supervisor only. */
import { backendSchema, createSessionSchema, exitSchema, killReportSchema } from '@holdfast/contracts';
import { ID_PATTERN } from '@holdfast/kernel';
import { z } from 'zod';

const processRefSchema = z.object({ pid: z.int(), startTime: z.int() });
const bootMomentSchema = z.object({ bootId: z.string(), ms: z.number() });
const identitySchema = processRefSchema.extend({ bootId: z.string() });
/** Fields of a later version are ignored here, unlike in a request. */
const storedSpecSchema = z.object(createSessionSchema.shape);

export const manifestSchema = z.object({
  version: z.literal(1),
  sessionId: z.string().regex(ID_PATTERN),
  epoch: z.int().min(1),
  /** `pending` until the spawn was answered; `exited` and `lost` are final. */
  state: z.enum(['pending', 'running', 'exited', 'lost']),
  backend: backendSchema,
  /** As given, without ids: the same create again must compare equal. */
  spec: storedSpecSchema,
  /** Secret between us and the session's processes. */
  mark: z.string().min(16),
  holder: z.object({ id: z.string(), identity: identitySchema }),
  createdAt: z.string(),
  /** The same instant by the boot clock: ages survive changes of the wall clock. */
  createdBoot: bootMomentSchema,
  /** Of the last repetition of the create, for one that has a time to live. */
  renewedBoot: bootMomentSchema.optional(),
  /** False: taken up from a live process that no manifest named. */
  recorded: z.boolean().optional(),
  leader: processRefSchema.optional(),
  /** Where the child really started. */
  cwd: z.string().optional(),
  startedAt: z.string().optional(),
  end: z
    .object({
      exit: exitSchema,
      endedAt: z.string(),
      endedBoot: bootMomentSchema,
      /** Output before the exit, in bytes. */
      offset: z.int(),
      leftovers: z.array(processRefSchema.extend({ command: z.string() })),
      /** Leftovers were killed, or live on by wish. */
      leftoversSettled: z.boolean(),
    })
    .optional(),
  killReport: killReportSchema.optional(),
  /** Why the reaper had it killed, written before the kill; the report once it was. */
  reap: z
    .object({ class: z.string(), evidence: z.record(z.string(), z.unknown()), at: z.string(), report: killReportSchema.optional() })
    .optional(),
});
export type Manifest = z.infer<typeof manifestSchema>;
export type BootMoment = z.infer<typeof bootMomentSchema>;
export type SessionEnd = NonNullable<Manifest['end']>;

export const tombstoneSchema = z.object({
  sessionId: z.string(),
  epoch: z.int(),
  purgedAt: z.string(),
  killReport: killReportSchema.optional(),
});
export type Tombstone = z.infer<typeof tombstoneSchema>;
