/** Reads a broker URL; the client takes addresses and credentials apart and ignores credentials inside a URL. */
import { ServiceError } from '@holdfast/kernel';
import type { NodeConnectionOptions } from '@nats-io/transport-node';

/**
 * One URL, or several of one cluster, separated by commas; credentials are the first one's. `tls://` insists on TLS.
 * @throws ServiceError `config.invalid`; the URL stays out of the message, since it may hold a password.
 */
export function brokerOptions(urls: string): Pick<NodeConnectionOptions, 'servers' | 'user' | 'pass' | 'token' | 'tls'> {
  const [first, ...others] = urls.split(',').map(parseBrokerUrl);
  if (!first) throw invalidUrl();
  const servers = others.length === 0 ? addressOf(first) : [first, ...others].map(addressOf);
  return { servers, ...credentialsOf(first), ...(first.protocol === 'tls:' ? { tls: {} } : {}) };
}

function parseBrokerUrl(text: string): URL {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (!url || url.hostname === '') throw invalidUrl();
  return url;
}

function invalidUrl(): ServiceError {
  return new ServiceError('config.invalid', 'HOLDFAST_NATS_URL is no URL like nats://127.0.0.1:4222');
}

function addressOf(url: URL): string {
  return `${url.hostname}:${url.port === '' ? '4222' : url.port}`;
}

function credentialsOf(url: URL): { readonly user?: string; readonly pass?: string; readonly token?: string } {
  const user = decodeURIComponent(url.username);
  const pass = decodeURIComponent(url.password);
  if (user === '') return {};
  return pass === '' ? { token: user } : { user, pass };
}
