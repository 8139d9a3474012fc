/** Errors in words for people: what happened and what to do, by code. */
import { ServiceError, type ErrorCode } from '@holdfast/kernel';

const TEXTS: Partial<Record<ErrorCode, string>> = {
  'auth.invalid': 'The gateway does not know this token. It may have been replaced or revoked.',
  'auth.required': 'Please sign in.',
  'auth.forbidden': 'Your token does not permit this.',
  'auth.rate-limited': 'Too many attempts. Wait a moment and try again.',
  'origin.refused':
    'The gateway does not accept this address of the page. Open it under the address that the gateway printed, or set HOLDFAST_PUBLIC_ORIGIN.',
  'deadline.exceeded': 'The gateway did not answer in time.',
  'host.unreachable': 'Holdfast cannot be reached right now. Sessions keep running meanwhile.',
  'holder.unreachable': 'The process that holds this session does not answer right now.',
  'session.not-found': 'There is no such session. It may have expired or been removed.',
  'session.ended': 'The session has ended.',
  'session.stale-handle': 'The session was restarted since.',
  'session.input-stalled': 'The program does not read its input.',
  'service.unreachable': 'The service behind this page cannot be reached right now. Sessions keep running meanwhile.',
  'task.not-found': 'There is no such task. It may have expired.',
  'task.queue-full': 'Too many tasks wait for their launch already. Try again when some have started.',
  'task.launch-rate': 'Too many launches in a short time. Wait a moment and try again.',
  'task.illegal-transition': 'The task has moved on meanwhile: that is not possible any more.',
  'request.too-large': 'That is too large to be sent at once.',
  'viewer.replaced': 'This terminal was opened elsewhere by the same viewer.',
};

export function faultText(fault: unknown): string {
  const error = ServiceError.from(fault);
  const faults = error.detail?.['errors'];
  const where = Array.isArray(faults) ? faults.join('; ') : '';
  return TEXTS[error.code] ?? sentence(where === '' ? error.message : where);
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
