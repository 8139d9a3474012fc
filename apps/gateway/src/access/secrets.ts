/** Keys derived from the operator's token, one per purpose: every gateway of an instance derives the same, and none reveals the token. */
import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

export function deriveKey(token: string, purpose: 'session cookie' | 'viewer id'): Buffer {
  return Buffer.from(hkdfSync('sha256', token, '', `holdfast ${purpose} v1`, 32));
}

/** HMAC-SHA256 over the parts; their borders count. */
export function sign(key: Buffer, ...parts: string[]): Buffer {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest();
}

/** Compares in a time that depends on neither value. */
export function sameSecret(a: string | Buffer, b: string | Buffer): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(value: string | Buffer): Buffer {
  return createHash('sha256').update(value).digest();
}
