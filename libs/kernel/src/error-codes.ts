/** The closed list of error codes, each with its answer to "may the caller send the same again?". One flat table. */

/** `never`: the same call fails again. `safe`: nothing happened, send again. `unknown`: it may have happened. */
export type Retry = 'never' | 'safe' | 'unknown';

export const ERROR_CODES = {
  // the request itself
  'request.invalid': 'never',
  'request.too-large': 'never',
  'request.not-acceptable': 'never',
  'route.not-found': 'never',
  'feature.unavailable': 'never',
  // who asks
  'auth.required': 'never',
  'auth.invalid': 'never',
  'auth.forbidden': 'never',
  'auth.rate-limited': 'safe',
  'origin.refused': 'never',
  // sessions
  'session.not-found': 'never',
  'session.conflict': 'never',
  'session.id-used': 'never',
  'session.ended': 'never',
  'session.lost': 'never',
  'session.stale-handle': 'never',
  'session.output-pruned': 'never',
  'session.output-gap': 'never',
  'session.output-beyond-end': 'never',
  'session.input-stalled': 'safe',
  'session.input-gap': 'never',
  'session.locked': 'safe',
  'session.busy': 'safe',
  'session.command-not-found': 'never',
  'session.command-not-executable': 'never',
  'session.cwd-not-found': 'never',
  'session.cwd-not-accessible': 'never',
  'session.spawn-failed': 'never',
  // tasks
  'task.not-found': 'never',
  'task.conflict': 'never',
  'task.illegal-transition': 'never',
  'task.queue-full': 'safe',
  'task.launch-rate': 'safe',
  'task.launch-failed': 'safe',
  'command.stale': 'never',
  'service.unreachable': 'safe',
  // streams and viewers
  'stream.epoch-required': 'never',
  'stream.bad-offset': 'never',
  'stream.not-attached': 'never',
  'viewer.slow': 'safe',
  'viewer.read-only': 'never',
  'viewer.unknown': 'never',
  'viewer.replaced': 'never',
  // hosts, holders, links
  'host.unreachable': 'safe',
  'holder.unreachable': 'safe',
  'holder.stale-term': 'never',
  'holder.full': 'safe',
  'holder.start-failed': 'safe',
  'link.closed': 'unknown',
  'deadline.exceeded': 'unknown',
  'protocol.hello-required': 'never',
  'protocol.unsupported-version': 'never',
  'protocol.malformed': 'never',
  'protocol.frame-too-large': 'never',
  'protocol.unknown-verb': 'never',
  'backend.unavailable': 'never',
  // start-up
  'config.invalid': 'never',
  'config.socket-path-too-long': 'never',
  'instance.in-use': 'safe',
  'storage.failed': 'unknown',
  internal: 'unknown',
} as const satisfies Record<string, Retry>;

export type ErrorCode = keyof typeof ERROR_CODES;

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_CODES, value);
}
