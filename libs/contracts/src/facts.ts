/** Facts on `event.>`: CloudEvents that other services follow. Adding a field is compatible; changing one is v2. */
import { z } from 'zod';
import { cloudEventSchema } from './events.js';
import { backendSchema, exitSchema, idSchema, killReportSchema } from './session.schema.js';
import { createTaskSchema, taskFactSchema, taskSchema } from './task.schema.js';
import { reaperAuditEntrySchema } from './reaper.schema.js';

const sessionFact = z.object({
  sessionId: idSchema,
  epoch: z.int(),
  hostId: idSchema,
  owner: z.string(),
  taskId: idSchema.optional(),
  backend: backendSchema,
  at: z.string(),
});

/** verb → data of `event.session.<sessionId>.<verb>`, type `holdfast.session.<verb>`. */
export const sessionFactSchemas = {
  started: sessionFact.extend({ pid: z.int() }),
  exited: sessionFact.extend({ exit: exitSchema, offset: z.int() }),
  lost: sessionFact.extend({ exit: exitSchema }),
  reaped: sessionFact.extend({ class: z.string(), report: killReportSchema }),
} as const;
export type SessionFactVerb = keyof typeof sessionFactSchemas;
export type SessionFact<V extends SessionFactVerb> = z.infer<(typeof sessionFactSchemas)[V]>;

/** Data of `event.task.<taskId>.<verb>`, type `holdfast.task.<verb>`: the fact and the task after it. */
export const taskEventDataSchema = taskFactSchema.extend({ task: taskSchema });
export type TaskEventData = z.infer<typeof taskEventDataSchema>;

/** Data of `event.reaper.<verb>`: what was done and what came of it. */
export const reaperEventDataSchema = reaperAuditEntrySchema;

/** Published to `inbox.task.<verb>` by other services, type `holdfast.task.<verb>`. */
export const inboxSchemas = {
  requested: createTaskSchema,
  progress: z.object({ taskId: idSchema, text: z.string().max(2000).optional() }),
  completed: z.object({ taskId: idSchema, reason: z.string().max(2000).optional() }),
  terminated: z.object({ taskId: idSchema, reason: z.string().max(2000).optional() }),
  cancelled: z.object({ taskId: idSchema, reason: z.string().max(2000).optional() }),
} as const;
export type InboxVerb = keyof typeof inboxSchemas;

/** Data of `event.inbox.rejected`. */
export const inboxRejectedSchema = z.object({
  subject: z.string(),
  /** Of the rejected event, as far as it could be read. */
  eventId: z.string().nullable(),
  source: z.string().nullable(),
  reason: z.string(),
});

export function inboxEventSchema<V extends InboxVerb>(verb: V) {
  return cloudEventSchema(`holdfast.task.${verb}` as const, inboxSchemas[verb]);
}

export const factSubjects = {
  task: (root: string, taskId: string, verb: string) => `${root}.event.task.${taskId}.${verb}`,
  session: (root: string, sessionId: string, verb: SessionFactVerb) => `${root}.event.session.${sessionId}.${verb}`,
  reaper: (root: string, verb: string) => `${root}.event.reaper.${verb}`,
  inboxRejected: (root: string) => `${root}.event.inbox.rejected`,
  allEvents: (root: string) => `${root}.event.>`,
  inbox: (root: string, verb: InboxVerb) => `${root}.inbox.task.${verb}`,
  allInbox: (root: string) => `${root}.inbox.task.>`,
} as const;

/** JetStream names of an instance: `HOLDFAST_EVENTS`, or `HOLDFAST_<INSTANCE>_EVENTS` with dashes kept. */
export function streamName(instance: string, what: 'EVENTS' | 'INBOX' | 'HOSTS' | 'ACCESS'): string {
  return instance === 'default' ? `HOLDFAST_${what}` : `HOLDFAST_${instance.toUpperCase()}_${what}`;
}

/** Value in KV `…_HOSTS`, by host id. */
export const hostEntrySchema = z.object({
  hostId: idSchema,
  term: z.int(),
  /** Address of its attach link; null when it listens on its own machine only. */
  link: z.string().nullable(),
  backends: z.array(backendSchema),
  capacity: z.object({ sessions: z.int() }),
  at: z.string(),
});
export type HostEntry = z.infer<typeof hostEntrySchema>;
