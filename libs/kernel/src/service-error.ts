/** The one error class that crosses process borders: a closed code, whether to send again, and facts about what failed. */
import { ERROR_CODES, isErrorCode, type ErrorCode, type Retry } from './error-codes.js';

/** Facts a caller can act on (an id, a limit, an offset). Never terminal bytes, prompts, environment values or tokens. */
export type ErrorDetail = Readonly<Record<string, string | number | boolean | readonly string[] | readonly number[]>>;

/** A `ServiceError` as it travels. */
export interface ErrorBody {
  readonly code: ErrorCode;
  readonly retry: Retry;
  readonly message: string;
  readonly detail?: ErrorDetail;
}

export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly retry: Retry;
  readonly detail: ErrorDetail | undefined;

  constructor(code: ErrorCode, message: string, options: { detail?: ErrorDetail; retry?: Retry; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.retry = options.retry ?? ERROR_CODES[code];
    this.detail = options.detail;
  }

  toBody(): ErrorBody {
    return { code: this.code, retry: this.retry, message: this.message, ...(this.detail ? { detail: this.detail } : {}) };
  }

  static fromBody(body: ErrorBody): ServiceError {
    return new ServiceError(body.code, body.message, { retry: body.retry, ...(body.detail ? { detail: body.detail } : {}) });
  }

  /** Any thrown value as a `ServiceError`; what is none becomes `internal`, its text kept as `cause` only. */
  static from(thrown: unknown): ServiceError {
    if (thrown instanceof ServiceError) return thrown;
    return new ServiceError('internal', 'internal error', { cause: thrown });
  }
}

/** Parses an error body that came over a wire; a code this build does not know becomes `internal`, its name kept in the message. */
export function parseErrorBody(value: unknown): ErrorBody {
  const body = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const message = typeof body['message'] === 'string' ? body['message'] : 'no message';
  const code = body['code'];
  if (!isErrorCode(code)) return { code: 'internal', retry: 'unknown', message: `${String(code)}: ${message}` };
  const retry = body['retry'];
  const detail = body['detail'];
  return {
    code,
    retry: retry === 'never' || retry === 'safe' || retry === 'unknown' ? retry : ERROR_CODES[code],
    message,
    ...(typeof detail === 'object' && detail !== null ? { detail: detail as ErrorDetail } : {}),
  };
}
