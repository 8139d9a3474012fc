/** Tells who asks, from a bearer token or our cookie. */
import { ServiceError } from '@holdfast/kernel';
import type { FailedAuthLimiter } from './failed-auth.limiter.js';
import { OPERATOR, type Principal } from './principal.js';
import { sameSecret } from './secrets.js';
import type { SessionCookie } from './session-cookie.js';

export interface Credentials {
  /** The header `Authorization`. */
  readonly authorization?: string | undefined;
  /** A token given by itself, as a socket's `auth`. */
  readonly token?: string | undefined;
  /** The header `Cookie`. */
  readonly cookie?: string | undefined;
  /** Whose failures are counted. */
  readonly address: string;
}

/** What is given explicitly counts; the cookie only without it. */
export class Authenticator {
  constructor(
    private readonly operatorToken: string,
    private readonly cookie: SessionCookie,
    private readonly limiter: FailedAuthLimiter,
  ) {}

  /** @throws ServiceError `auth.required`, `auth.invalid`, `auth.rate-limited` with `retryAfterMs`. */
  authenticate(credentials: Credentials): Principal {
    const token = credentials.token ?? bearerOf(credentials.authorization);
    if (token !== undefined) {
      if (sameSecret(token, this.operatorToken)) return OPERATOR;
      throw this.failure(credentials.address, 'the token is not valid');
    }
    const claim = this.cookie.read(credentials.cookie);
    if (claim === undefined) throw new ServiceError('auth.required', 'give a token as "Authorization: Bearer …", or sign in');
    if (claim !== 'invalid' && claim.tokenId === OPERATOR.tokenId) return OPERATOR;
    throw this.failure(credentials.address, 'the session has expired; sign in again');
  }

  private failure(address: string, message: string): ServiceError {
    const retryAfterMs = this.limiter.recordFailure(address);
    if (retryAfterMs <= 0) return new ServiceError('auth.invalid', message);
    return new ServiceError('auth.rate-limited', 'too many failed sign-ins from this address', { detail: { retryAfterMs } });
  }
}

/** Any other scheme is taken as a token that is not valid. */
function bearerOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.trim() === '') return undefined;
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '';
}
