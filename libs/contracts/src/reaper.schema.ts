/** What the reaper tells of itself: status, plan, audit. */
import { z } from 'zod';
import { idSchema, killReportSchema } from './session.schema.js';

export const reapClassSchema = z.enum(['unowned', 'unowned-under-pressure', 'terminal-task-leak']);
export type ReapClass = z.infer<typeof reapClassSchema>;

/** `wait`: not now, or nobody can know. `probe`: ask the supervisor. `reap`: kill. `keep`: owned or exempt. */
export const reapVerdictSchema = z.object({
  hostId: idSchema,
  sessionId: idSchema,
  epoch: z.int(),
  do: z.enum(['keep', 'wait', 'probe', 'reap']),
  class: reapClassSchema.optional(),
  /** One word for people and tests: `operator`, `live-task`, `young`, `age-unknown`, `store-silent`, `host-silent`, `deaf`, `exempt`, `task-unknown`, … */
  why: z.string(),
  evidence: z.record(z.string(), z.unknown()),
});
export type ReapVerdict = z.infer<typeof reapVerdictSchema>;

export const reaperPlanSchema = z.object({ at: z.string(), verdicts: z.array(reapVerdictSchema) });
export type ReaperPlan = z.infer<typeof reaperPlanSchema>;

/** Also `sessionReaper` of `GET /v1/health`: cached counters, never a scan. */
export const reaperStatusSchema = z.object({
  enabled: z.boolean(),
  sweeps: z.int(),
  lastSweepAt: z.string().nullable(),
  effectiveOrphanAgeMs: z.number().nullable(),
  hostsHeard: z.int(),
  sessionsSeen: z.int(),
  reapedTotal: z.int(),
  reapedByClass: z.record(z.string(), z.int()),
  killFailedTotal: z.int(),
  waiting: z.int(),
  /** Sessions that name a task the store does not have (a restored database?): for a person to look at. */
  taskUnknown: z.int().optional(),
});
export type ReaperStatus = z.infer<typeof reaperStatusSchema>;

/** One line of `<state>/audit.jsonl`: a verdict that acted, and what came of it. */
export const reaperAuditEntrySchema = z.object({
  at: z.string(),
  verdict: reapVerdictSchema,
  outcome: z.enum(['reaped', 'refused', 'failed', 'gone']),
  detail: z.string().optional(),
  report: killReportSchema.optional(),
});
export type ReaperAuditEntry = z.infer<typeof reaperAuditEntrySchema>;
export const reaperAuditSchema = z.object({ items: z.array(reaperAuditEntrySchema) });
export type ReaperAudit = z.infer<typeof reaperAuditSchema>;

const MOST_AUDIT_ENTRIES = 1000;
/** Query of `GET /v1/reaper/audit`. */
export const auditQuerySchema = z.object({
  /** Capped at 1000, never refused. */
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .transform((n) => Math.min(n, MOST_AUDIT_ENTRIES))
    .optional(),
});
