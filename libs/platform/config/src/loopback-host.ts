/** Tells whether a bind address can be reached from this machine only. */
import { isIPv4 } from 'node:net';

export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
