/** Tasks over REST, the inbox and commands: one schema each. */
import { z } from 'zod';
import { agentKindSchema, backendSchema, exitSchema, idSchema, ownerSchema } from './session.schema.js';

export const taskStatusSchema = z.enum(['open', 'pending', 'in_progress', 'completed', 'terminated', 'cancelled']);
export type TaskStatus = z.infer<typeof taskStatusSchema>;

export const recordStatusSchema = z.enum(['starting', 'running', 'completed', 'aborted', 'lost']);
export type RecordStatus = z.infer<typeof recordStatusSchema>;

const noNul = z.string().refine((text) => !text.includes('\0'), 'must not contain NUL');

export const taskAgentSchema = z.strictObject({
  kind: agentKindSchema,
  /** For kind `command` the whole argv, else added to the agent's own. */
  args: z.array(noNul).max(1000).optional(),
  model: z.string().max(200).optional(),
});

/** Body of `POST /v1/tasks`, and `data` of `inbox.task.requested`. */
export const createTaskSchema = z
  .strictObject({
    taskId: idSchema.optional(),
    title: z.string().min(1).max(500),
    agent: taskAgentSchema,
    prompt: z.string().optional(),
    cwd: noNul.refine((path) => path.startsWith('/'), 'must be an absolute path').optional(),
    env: z.record(z.string().regex(/^[^=\0]+$/, 'a variable name holds neither "=" nor NUL'), noNul).optional(),
    owner: ownerSchema.optional(),
    priority: z.int().min(-100).max(100).optional(),
    parentId: idSchema.optional(),
    labels: z.record(z.string().max(100), z.string().max(1000)).optional(),
    webhook: z.url({ protocol: /^https?$/ }).optional(),
    /** Launch at once. */
    launch: z.boolean().optional(),
  })
  .refine((task) => task.agent.kind !== 'command' || (task.agent.args?.length ?? 0) > 0, {
    message: 'kind "command" needs args, the whole argv',
    path: ['agent', 'args'],
  });
export type CreateTask = z.infer<typeof createTaskSchema>;

export const sessionRecordSchema = z.object({
  sessionId: idSchema,
  epoch: z.int(),
  hostId: idSchema.nullable(),
  backend: backendSchema,
  lastStatus: recordStatusSchema,
  exit: exitSchema.optional(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
});
export type SessionRecord = z.infer<typeof sessionRecordSchema>;

export const taskReasonSchema = z.object({ exit: exitSchema.optional(), text: z.string().optional() });

/** A task as it is shown. Environment values are not: they may be secrets. */
export const taskSchema = z.object({
  taskId: idSchema,
  title: z.string(),
  status: taskStatusSchema,
  reason: taskReasonSchema.optional(),
  /** A session of it is lost, or it waits for a person. */
  needsAttention: z.boolean(),
  owner: z.string(),
  agent: taskAgentSchema,
  prompt: z.string().optional(),
  cwd: z.string().optional(),
  priority: z.int(),
  parentId: idSchema.optional(),
  labels: z.record(z.string(), z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
  endedAt: z.string().optional(),
  /** Of the newest event. */
  sequence: z.int(),
  sessions: z.array(sessionRecordSchema),
});
export type Task = z.infer<typeof taskSchema>;

export const listTasksQuerySchema = z.object({
  status: taskStatusSchema.optional(),
  owner: z.string().optional(),
  parentId: idSchema.optional(),
  /** Capped at 500, never refused. */
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .transform((n) => Math.min(n, 500))
    .optional(),
  cursor: z.string().max(200).optional(),
});
export type ListTasksQuery = z.infer<typeof listTasksQuerySchema>;

export const taskListSchema = z.object({ items: z.array(taskSchema), nextCursor: z.string().optional() });
export type TaskList = z.infer<typeof taskListSchema>;

/** Body of `/complete`, `/terminate`, `/cancel`, `/reopen`. */
export const taskTransitionSchema = z.strictObject({ reason: z.string().max(2000).optional() });

/** One fact in a task's history. `sequence` counts 1, 2, … per task without gaps. */
export const taskFactSchema = z.object({
  eventId: z.string(),
  taskId: idSchema,
  sequence: z.int(),
  verb: z.enum(['created', 'launched', 'started', 'completed', 'terminated', 'cancelled', 'reopened', 'progress', 'needs-attention']),
  status: taskStatusSchema,
  at: z.string(),
  /** Who caused it: an owner label, `reaper`, or `session:<id>`. */
  by: z.string(),
  reason: taskReasonSchema.optional(),
  sessionId: idSchema.optional(),
});
export type TaskFact = z.infer<typeof taskFactSchema>;

/** Answer of `GET /v1/tasks/:id/events`, oldest first. */
export const taskHistorySchema = z.object({ items: z.array(taskFactSchema) });
export type TaskHistory = z.infer<typeof taskHistorySchema>;
