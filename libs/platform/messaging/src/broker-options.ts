/** Reads a broker URL; the client takes addresses and credentials apart and ignores credentials inside a URL. */
import { ServiceError } from '@holdfast/kernel';
import type { NodeConnectionOptions } from '@nats-io/transport-node';

/** @throws ServiceError `config.invalid`; the URL stays out of the message, since it may hold a password. */
export function brokerOptions(url: string): Pick<NodeConnectionOptions, 'servers' | 'user' | 'pass' | 'token'> {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || parsed.hostname === '') throw new ServiceError('config.invalid', 'HOLDFAST_NATS_URL is no URL like nats://127.0.0.1:4222');
  const servers = `${parsed.hostname}:${parsed.port === '' ? '4222' : parsed.port}`;
  const user = decodeURIComponent(parsed.username);
  const pass = decodeURIComponent(parsed.password);
  if (user === '') return { servers };
  return pass === '' ? { servers, token: user } : { servers, user, pass };
}
