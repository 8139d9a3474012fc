/** Requests over NATS by Nest's microservice transport: subjects, bodies and answers. Each is idempotent and has a deadline. */
import { z } from 'zod';
import { createSessionSchema, idSchema, killReportSchema, sessionSchema } from './session.schema.js';
import {
  createTaskSchema,
  listTasksQuerySchema,
  taskHistorySchema,
  taskListSchema,
  taskSchema,
  recordStatusSchema,
  taskStatusSchema,
} from './task.schema.js';
import { reaperAuditSchema, reaperPlanSchema, reaperStatusSchema } from './reaper.schema.js';

/** Whoever asks; kept with what it caused. */
const by = z.string().min(1).max(200);
/** ISO 8601. A command that arrives later is refused: its sender has given it up. */
const notAfter = z.iso.datetime();

export const commands = {
  'session-supervisor': {
    /** Starts the session of a launch, or gives it when it is there already. `attempt` counts from 1. */
    launch: {
      request: z.object({ attempt: z.int().min(1), notAfter, spec: createSessionSchema.required({ sessionId: true, owner: true }) }),
      answer: z.object({ session: sessionSchema }),
    },
    get: { request: z.object({ sessionId: idSchema }), answer: z.object({ session: sessionSchema }) },
    /** Ends a session because its task ended. */
    kill: {
      request: z.object({ sessionId: idSchema, epoch: z.int(), graceMs: z.int().optional(), notAfter, by, reason: z.string() }),
      answer: z.object({ report: killReportSchema }),
    },
    /** Whether that very handle lives, as the supervisor sees it now. */
    probe: {
      request: z.object({ sessionId: idSchema, epoch: z.int() }),
      answer: z.object({
        alive: z.enum(['alive', 'dead', 'unknown']),
        session: sessionSchema.optional(),
        ageMs: z.number().nullable(),
        /** As in the beat. */
        renewedAgoMs: z.number().nullable().optional(),
      }),
    },
    /** Kills after checking the evidence again; `killed` false says why not. */
    reap: {
      request: z.object({ sessionId: idSchema, epoch: z.int(), notAfter, class: z.string(), evidence: z.record(z.string(), z.unknown()) }),
      answer: z.object({ killed: z.boolean(), why: z.string().optional(), report: killReportSchema.optional() }),
    },
  },
  'task-service': {
    create: {
      request: z.object({ task: createTaskSchema, by, idempotencyKey: z.string().max(200).optional() }),
      answer: z.object({ task: taskSchema, created: z.boolean() }),
    },
    get: { request: z.object({ taskId: idSchema }), answer: z.object({ task: taskSchema }) },
    list: { request: listTasksQuerySchema, answer: taskListSchema },
    events: { request: z.object({ taskId: idSchema }), answer: taskHistorySchema },
    launch: { request: z.object({ taskId: idSchema, by }), answer: z.object({ task: taskSchema }) },
    complete: { request: z.object({ taskId: idSchema, by, reason: z.string().optional() }), answer: z.object({ task: taskSchema }) },
    terminate: { request: z.object({ taskId: idSchema, by, reason: z.string().optional() }), answer: z.object({ task: taskSchema }) },
    cancel: { request: z.object({ taskId: idSchema, by, reason: z.string().optional() }), answer: z.object({ task: taskSchema }) },
    reopen: { request: z.object({ taskId: idSchema, by, reason: z.string().optional() }), answer: z.object({ task: taskSchema }) },
    /** What the reaper asks: the state of tasks and records it saw in an inventory. */
    answers: {
      request: z.object({ taskIds: z.array(idSchema).max(1000), sessionIds: z.array(idSchema).max(1000) }),
      answer: z.object({
        tasks: z.array(
          z.object({ taskId: idSchema, known: z.boolean(), status: taskStatusSchema.optional(), endedForMs: z.number().nullable() }),
        ),
        records: z.array(
          z.object({
            sessionId: idSchema,
            taskId: idSchema,
            /** Of the newest record; absent = 1. */
            epoch: z.int().optional(),
            lastStatus: recordStatusSchema,
            endedForMs: z.number().nullable(),
          }),
        ),
      }),
    },
    health: { request: z.object({}), answer: z.object({ tasks: z.int(), outboxPending: z.int() }) },
  },
  reaper: {
    status: { request: z.object({}), answer: reaperStatusSchema },
    plan: { request: z.object({}), answer: reaperPlanSchema },
    sweep: { request: z.object({ by }), answer: reaperPlanSchema },
    audit: { request: z.object({ limit: z.int().min(1).max(1000).optional() }), answer: reaperAuditSchema },
  },
} as const;

type Commands = typeof commands;
export type CommandService = keyof Commands;
export type CommandVerb<S extends CommandService> = keyof Commands[S] & string;
type Entry<S extends CommandService, V extends CommandVerb<S>> = Commands[S][V] & { request: z.ZodType; answer: z.ZodType };
export type CommandRequest<S extends CommandService, V extends CommandVerb<S>> = z.infer<Entry<S, V>['request']>;
export type CommandAnswer<S extends CommandService, V extends CommandVerb<S>> = z.infer<Entry<S, V>['answer']>;

/** Answers travel as `{ok: true, ...facts}` or `{ok: false, error}`; a supervisor's subject names its host. */
export const commandSubjects = {
  supervisor: (root: string, hostId: string, verb: CommandVerb<'session-supervisor'>) => `${root}.cmd.session-supervisor.${hostId}.${verb}`,
  taskService: (root: string, verb: CommandVerb<'task-service'>) => `${root}.cmd.task-service.${verb}`,
  reaper: (root: string, verb: CommandVerb<'reaper'>) => `${root}.cmd.reaper.${verb}`,
} as const;
