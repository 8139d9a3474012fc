/** Decides whether a request may come from where its headers say: against foreign web pages and DNS rebinding. */
import { ServiceError } from '@holdfast/kernel';

export interface OriginFacts {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** The header `Sec-Fetch-Site`: browsers send it even where they send no Origin. */
  readonly fetchSite: string | undefined;
  /** The port this request came in by. */
  readonly port: number;
}

export interface OriginPolicyOptions {
  /** The address we are bound to. */
  readonly bindHost: string;
  readonly publicOrigin?: string;
  /** Addresses of this machine's interfaces: what a wildcard bind can be reached by. */
  readonly interfaceAddresses: readonly string[];
}

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '::1'];
const WILDCARD_HOSTS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/**
 * Host must be one of ours. An Origin, which browsers send with everything that changes state and every socket, must be ours
 * with its port; without one the caller is no web page, unless `Sec-Fetch-Site` says so.
 */
export class OriginPolicy {
  private readonly hosts: readonly string[];

  constructor(private readonly options: OriginPolicyOptions) {
    const bound = WILDCARD_HOSTS.has(options.bindHost) ? options.interfaceAddresses : [options.bindHost];
    this.hosts = [...new Set([...LOOPBACK_HOSTS, ...bound])].map((host) => (host.includes(':') ? `[${host}]` : host).toLowerCase());
  }

  /** @throws ServiceError `origin.refused` with what was sent. */
  check(facts: OriginFacts): void {
    if (!this.isAllowedHost(facts.host?.toLowerCase(), facts.port)) throw refused('Host', facts.host);
    if (facts.origin === undefined) {
      if (facts.fetchSite === 'cross-site' || facts.fetchSite === 'same-site') throw refused('Sec-Fetch-Site', facts.fetchSite);
    } else if (!this.isAllowedOrigin(facts.origin, facts.port)) throw refused('Origin', facts.origin);
  }

  private isAllowedHost(host: string | undefined, port: number): boolean {
    if (host === undefined) return false;
    const { publicOrigin } = this.options;
    return this.authorities(port).includes(host) || (publicOrigin !== undefined && new URL(publicOrigin).host === host);
  }

  private isAllowedOrigin(origin: string, port: number): boolean {
    return origin === this.options.publicOrigin || this.authorities(port).some((authority) => origin === `http://${authority}`);
  }

  /** As browsers write them: the default port is left out. */
  private authorities(port: number): string[] {
    return this.hosts.map((host) => (port === 80 ? host : `${host}:${port}`));
  }
}

function refused(header: string, value: string | undefined): ServiceError {
  const shown = value === undefined ? 'absent' : JSON.stringify(value.slice(0, 200));
  return new ServiceError(
    'origin.refused',
    `${header} ${shown} is not one this gateway is reached by; HOLDFAST_PUBLIC_ORIGIN names the one behind a proxy`,
  );
}
