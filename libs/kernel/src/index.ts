/** What every part of the system may use; imports nothing of it. */
export { assertNever, invariant } from './assert-never.js';
export type { Brand } from './brand.js';
export { withDeadline } from './deadline.js';
export { ERROR_CODES, isErrorCode, type ErrorCode, type Retry } from './error-codes.js';
export {
  ID_PATTERN,
  MAX_ID_LENGTH,
  isId,
  newHostId,
  newId,
  newSessionId,
  parseSessionId,
  type HostId,
  type SessionId,
  type TaskId,
} from './ids.js';
export { ServiceError, parseErrorBody, type ErrorBody, type ErrorDetail } from './service-error.js';
