/** Turns whatever was thrown into an RFC 9457 problem. */
import { HttpException } from '@nestjs/common';
import { httpStatusOf, type Problem } from '@holdfast/contracts';
import { ServiceError, type ErrorCode } from '@holdfast/kernel';
import { STATUS_CODES } from 'node:http';
import { InvalidRequestError } from './invalid-request.error.js';

/** A problem and its members from the error's facts (an offset, a limit). */
export type ProblemDocument = Problem & Readonly<Record<string, unknown>>;

export function problemOf(error: ServiceError): ProblemDocument {
  const status = httpStatusOf(error.code);
  return {
    ...error.detail,
    type: `urn:holdfast:error:${error.code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: error.message,
    code: error.code,
    retry: error.retry,
    ...(error instanceof InvalidRequestError ? { errors: [...error.faults] } : {}),
  };
}

/** Codes of what the HTTP layers below us refuse by status alone. */
const CODE_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'request.invalid',
  404: 'route.not-found',
  405: 'route.not-found',
  413: 'request.too-large',
  415: 'request.not-acceptable',
};

/** What a router or body parser threw becomes the code of its status; anything else that is not ours is `internal`. */
export function serviceErrorOf(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  const status = statusOf(thrown);
  const code = status === undefined ? undefined : CODE_BY_STATUS[status];
  return code === undefined ? ServiceError.from(thrown) : new ServiceError(code, messageOf(thrown), { cause: thrown });
}

function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof HttpException) return thrown.getStatus();
  const status = thrown instanceof Error && 'status' in thrown ? thrown.status : undefined;
  return typeof status === 'number' ? status : undefined;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : 'the request was refused';
}
