/** What we hand out and take back: cookies and viewer ids, across gateways, tokens and time. */
import { describe, expect, it } from '@jest/globals';
import { FailedAuthLimiter, MAX_FAILURES_PER_MINUTE } from './failed-auth.limiter.js';
import { SESSION_COOKIE_MAX_AGE_MS, SessionCookie } from './session-cookie.js';
import { ViewerIds } from './viewer-ids.js';

function cookie({ token = 'secret', now = 0, isSecure = false }: { token?: string; now?: number; isSecure?: boolean } = {}): SessionCookie {
  return new SessionCookie({ instance: 'blue', token, isSecure, now: () => now });
}

const pairOf = (header: string): string => header.split(';')[0] ?? '';

describe('SessionCookie', () => {
  it('is read by any gateway with the same token until it expires', () => {
    const header = `other=1; ${pairOf(cookie().issue('operator'))}; more=2`;
    const reads = [{}, { now: SESSION_COOKIE_MAX_AGE_MS - 1 }, { now: SESSION_COOKIE_MAX_AGE_MS }, { token: 'other' }].map((options) =>
      cookie(options).read(header),
    );
    expect(reads).toEqual([{ tokenId: 'operator' }, { tokenId: 'operator' }, 'invalid', 'invalid']);
  });

  it('cannot be prolonged or turned over to another token', () => {
    const [id, expiry, signature] = pairOf(cookie().issue('operator')).replace('holdfast-blue=', '').split('.');
    const forged = [`${id}.${Number(expiry) + 1}.${signature}`, `admin.${expiry}.${signature}`, `${id}.${expiry}.`, 'x'];
    expect(forged.map((value) => cookie().read(`holdfast-blue=${value}`))).toEqual(Array(4).fill('invalid'));
  });

  it('of another instance is none', () => {
    expect(cookie().read('holdfast-green=x; holdfast-blue=')).toBeUndefined();
  });

  it('is Secure exactly where browsers come by https', () => {
    expect([cookie().issue('o'), cookie({ isSecure: true }).issue('o')].map((header) => header.endsWith('; Secure'))).toEqual([
      false,
      true,
    ]);
  });
});

describe('ViewerIds', () => {
  it('are admitted by any gateway, for the token they were issued to, and not for another', () => {
    const id = new ViewerIds('secret').issue('operator');
    const admit = (ids: ViewerIds, tokenId: string): boolean => {
      try {
        return ids.admit(id, tokenId) === id;
      } catch {
        return false;
      }
    };
    expect([
      admit(new ViewerIds('secret'), 'operator'),
      admit(new ViewerIds('secret'), 'share'),
      admit(new ViewerIds('other'), 'operator'),
    ]).toEqual([true, false, false]);
  });
});

describe('FailedAuthLimiter', () => {
  it('counts per address and minute', () => {
    let now = 0;
    const limiter = new FailedAuthLimiter(() => now);
    const waits = Array.from({ length: MAX_FAILURES_PER_MINUTE + 1 }, () => limiter.recordFailure('a'));
    now = 59_000;
    const later = [limiter.recordFailure('a'), limiter.recordFailure('b')];
    now = 60_000;
    expect([waits.slice(-2), later, limiter.recordFailure('a')]).toEqual([[0, 60_000], [1_000, 0], 0]);
  });
});
