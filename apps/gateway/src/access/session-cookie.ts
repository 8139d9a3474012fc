/** The browser's cookie: an expiring claim with a signature, which every gateway of the instance can check without asking. */
import { deriveKey, sameSecret, sign } from './secrets.js';

/** A working week's end; then the browser signs in again. */
export const SESSION_COOKIE_MAX_AGE_MS = 7 * 24 * 3600 * 1000;

export interface SessionCookieOptions {
  readonly instance: string;
  readonly token: string;
  /** Whether browsers reach us by https. */
  readonly isSecure: boolean;
  /** Wall clock in milliseconds: the claim's end is a date. */
  readonly now: () => number;
}

/** The value is `<token id>.<expiry in ms>.<signature>`. */
export class SessionCookie {
  private readonly key: Buffer;

  constructor(private readonly options: SessionCookieOptions) {
    this.key = deriveKey(options.token, 'session cookie');
  }

  get name(): string {
    return `holdfast-${this.options.instance}`;
  }

  /** A `Set-Cookie` value. */
  issue(tokenId: string): string {
    const expiresAt = String(this.options.now() + SESSION_COOKIE_MAX_AGE_MS);
    const value = `${tokenId}.${expiresAt}.${sign(this.key, tokenId, expiresAt).toString('base64url')}`;
    return this.header(value, SESSION_COOKIE_MAX_AGE_MS / 1000);
  }

  /** A `Set-Cookie` value that removes it. */
  clear(): string {
    return this.header('', 0);
  }

  /** The token id in a `Cookie` header, `invalid` for a forged or expired claim, undefined when ours is not there. */
  read(header: string | undefined): { readonly tokenId: string } | 'invalid' | undefined {
    const value = valueOf(header, this.name);
    if (value === undefined || value === '') return undefined;
    const [tokenId = '', expiresAt = '', signature = ''] = value.split('.');
    const isGenuine = sameSecret(signature, sign(this.key, tokenId, expiresAt).toString('base64url'));
    return isGenuine && Number(expiresAt) > this.options.now() ? { tokenId } : 'invalid';
  }

  private header(value: string, maxAgeSeconds: number): string {
    return `${this.name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${this.options.isSecure ? '; Secure' : ''}`;
  }
}

function valueOf(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [key = '', ...rest] = pair.split('=');
    if (key.trim() === name) return rest.join('=').trim();
  }
  return undefined;
}
