/** Errors over HTTP: RFC 9457 problem+json with our closed code, and the status each code has. */
import { ERROR_CODES, type ErrorCode } from '@holdfast/kernel';
import { z } from 'zod';

export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
  retry: z.enum(['never', 'safe', 'unknown']),
  /** What is wrong where, for `request.invalid`. */
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type Problem = z.infer<typeof problemSchema>;
export const PROBLEM_CONTENT_TYPE = 'application/problem+json';

/** HTTP status of each code; a code without a row here is a fault of ours: 500. */
const STATUS_BY_CODE: Partial<Record<ErrorCode, number>> = {
  'request.invalid': 400,
  'request.too-large': 413,
  'request.not-acceptable': 415,
  'route.not-found': 404,
  'feature.unavailable': 501,
  'auth.required': 401,
  'auth.invalid': 401,
  'auth.forbidden': 403,
  'auth.rate-limited': 429,
  'origin.refused': 403,
  'session.not-found': 404,
  'session.conflict': 409,
  'session.id-used': 409,
  'session.ended': 409,
  'session.lost': 409,
  'session.stale-handle': 410,
  'session.output-pruned': 410,
  'session.output-gap': 410,
  'session.output-beyond-end': 416,
  'session.input-stalled': 503,
  'session.input-gap': 409,
  'session.locked': 423,
  'session.busy': 409,
  'session.command-not-found': 422,
  'session.command-not-executable': 422,
  'session.cwd-not-found': 422,
  'session.cwd-not-accessible': 422,
  'session.spawn-failed': 422,
  'task.not-found': 404,
  'task.conflict': 409,
  'task.illegal-transition': 409,
  'task.queue-full': 429,
  'task.launch-rate': 429,
  'task.launch-failed': 503,
  'command.stale': 409,
  'service.unreachable': 503,
  'stream.epoch-required': 400,
  'stream.bad-offset': 400,
  'stream.not-attached': 409,
  'viewer.read-only': 403,
  'viewer.unknown': 404,
  'host.unreachable': 503,
  'holder.unreachable': 503,
  'holder.full': 503,
  'holder.start-failed': 503,
  'link.closed': 503,
  'deadline.exceeded': 504,
  'backend.unavailable': 422,
  'storage.failed': 503,
};

export function httpStatusOf(code: ErrorCode): number {
  return STATUS_BY_CODE[code] ?? 500;
}
