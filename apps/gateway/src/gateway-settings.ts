/** What this gateway runs with: the configuration, its secret read and judged. */
import type { HoldfastConfig } from '@holdfast/platform-config';
import { fileURLToPath } from 'node:url';
import { operatorTokenOf } from './access/operator-token.js';

/** Where the dashboard's build is in the checkout. */
const DASHBOARD_DIR = fileURLToPath(new URL('../../dashboard/dist', import.meta.url));

export class GatewaySettings {
  private constructor(
    private readonly config: HoldfastConfig,
    /** Never logged, never in a URL. */
    readonly operatorToken: string,
  ) {}

  /** @throws ServiceError `config.invalid`. */
  static of(config: HoldfastConfig): GatewaySettings {
    return new GatewaySettings(config, operatorTokenOf(config));
  }

  get instance(): string {
    return this.config.instance;
  }
  get runtimeDir(): string {
    return this.config.runtimeDir;
  }
  get host(): string {
    return this.config.gateway.host;
  }
  get port(): number {
    return this.config.gateway.port;
  }
  get publicOrigin(): string | undefined {
    return this.config.gateway.publicOrigin;
  }
  get natsUrl(): string | undefined {
    return this.config.natsUrl;
  }
  get dashboardDir(): string {
    return this.config.dashboardDir ?? DASHBOARD_DIR;
  }
  /** Browsers reach us by https, through a proxy. */
  get isBehindHttps(): boolean {
    return this.publicOrigin?.startsWith('https:') ?? false;
  }
}
