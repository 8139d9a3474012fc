/** A request that has not its form, with what is wrong where. */
import { ServiceError } from '@holdfast/kernel';
import type { z } from 'zod';

export interface RequestFault {
  /** Dotted path of the field; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

export class InvalidRequestError extends ServiceError {
  constructor(readonly faults: readonly RequestFault[]) {
    super('request.invalid', faults.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; '));
  }
}

/** @throws InvalidRequestError with paths below `name`. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown, name = ''): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new InvalidRequestError(parsed.error.issues.flatMap((issue) => faultsOf(issue, name)));
}

function faultsOf(issue: z.core.$ZodIssue, name: string): RequestFault[] {
  const path = [...(name === '' ? [] : [name]), ...issue.path.map(String)].join('.');
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ path, message: issue.message }];
  const alternatives = issue.errors.map((issues) => issues.map((one) => faultText(one)).join(', '));
  return [{ path, message: `fits none of its forms (${alternatives.join(' | ')})` }];
}

function faultText(issue: z.core.$ZodIssue): string {
  return issue.path.length === 0 ? issue.message : `${issue.path.map(String).join('.')}: ${issue.message}`;
}
