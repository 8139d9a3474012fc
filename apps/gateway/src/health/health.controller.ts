/** Liveness, readiness, and what this gateway knows of the rest. Reads counters only. */
import { Controller, Get, Inject } from '@nestjs/common';
import type { Health } from '@holdfast/contracts';
import { Public } from '../access/access.guard.js';
import { Broker } from '../broker/broker.js';
import { GatewaySettings } from '../gateway-settings.js';
import { HostDirectory } from '../hosts/host-directory.js';
import { TerminalService } from '../terminal/terminal.service.js';
import { ServiceVitals } from './service-vitals.js';

@Controller()
export class HealthController {
  private readonly startedAt = performance.now();

  constructor(
    @Inject(GatewaySettings) private readonly settings: GatewaySettings,
    @Inject(HostDirectory) private readonly hosts: HostDirectory,
    @Inject(TerminalService) private readonly terminal: TerminalService,
    @Inject(Broker) private readonly broker: Broker,
    @Inject(ServiceVitals) private readonly services: ServiceVitals,
  ) {}

  /** Needs nothing but this process. */
  @Public()
  @Get(['healthz', 'readyz'])
  alive(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('v1/health')
  async health(): Promise<Health> {
    const services = await this.services.read();
    const parts = { supervisors: [this.supervisor()], nats: { status: this.broker.status }, ...services };
    const all = [...parts.supervisors, parts.nats, parts.taskService, parts.sessionReaper];
    return {
      status: all.some(({ status }) => status === 'unreachable') ? 'degraded' : 'ok',
      instance: this.settings.instance,
      gateway: { status: 'ok', viewers: this.terminal.viewerCount, uptimeMs: Math.round(performance.now() - this.startedAt) },
      ...parts,
    };
  }

  /** The one at the other end of the link: `up` waits for it here. */
  private supervisor(): Health['supervisors'][number] {
    const own = this.hosts.own;
    if (own === undefined) return { hostId: null, status: 'unreachable', term: null, sessions: null };
    const { hostId, status, term, sessions } = own;
    return { hostId, status, term, sessions };
  }
}
