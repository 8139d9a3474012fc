/** Bodies as they arrive: parsed by their content type, judged here. */
import { ServiceError } from '@holdfast/kernel';
import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { parseRequest } from './invalid-request.error.js';

/** A request as the body parsers leave it. */
export type ParsedRequest = IncomingMessage & { readonly body?: unknown };

export const OCTET_STREAM = 'application/octet-stream';

/** A JSON body by its schema; no body counts as `{}`. @throws ServiceError `request.not-acceptable`, `request.invalid`. */
export function jsonBody<Schema extends z.ZodType>(request: ParsedRequest, schema: Schema): z.output<Schema> {
  if (!hasBody(request)) return parseRequest(schema, {});
  if (mediaTypeOf(request) !== 'application/json') throw notAcceptable(request, 'application/json');
  return parseRequest(schema, request.body ?? {});
}

/** The bytes of an octet-stream body, undefined for another content type. */
export function binaryBody(request: ParsedRequest): Uint8Array | undefined {
  if (mediaTypeOf(request) !== OCTET_STREAM) return undefined;
  return request.body instanceof Uint8Array ? request.body : new Uint8Array(0);
}

function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}

function mediaTypeOf(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

function notAcceptable(request: IncomingMessage, wanted: string): ServiceError {
  const given = mediaTypeOf(request);
  return new ServiceError(
    'request.not-acceptable',
    `the content type must be ${wanted}, not ${given === '' ? 'absent' : JSON.stringify(given.slice(0, 100))}`,
  );
}
