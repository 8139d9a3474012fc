/** Liveness, readiness, and what this gateway knows of the rest. Reads counters only. */
import { Controller, Get, Inject } from '@nestjs/common';
import type { Health } from '@holdfast/contracts';
import { Public } from '../access/access.guard.js';
import { GatewaySettings } from '../gateway-settings.js';
import { SupervisorLink } from '../link/supervisor-link.js';
import { TerminalService } from '../terminal/terminal.service.js';
import { BrokerStatus } from './broker-status.js';

@Controller()
export class HealthController {
  private readonly startedAt = performance.now();

  constructor(
    @Inject(GatewaySettings) private readonly settings: GatewaySettings,
    @Inject(SupervisorLink) private readonly link: SupervisorLink,
    @Inject(TerminalService) private readonly terminal: TerminalService,
    @Inject(BrokerStatus) private readonly broker: BrokerStatus,
  ) {}

  /** Needs nothing but this process. */
  @Public()
  @Get(['healthz', 'readyz'])
  alive(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('v1/health')
  health(): Health {
    const host = this.link.host;
    const nats = this.broker.status;
    return {
      status: host === undefined || nats === 'unreachable' ? 'degraded' : 'ok',
      instance: this.settings.instance,
      gateway: { status: 'ok', viewers: this.terminal.viewerCount, uptimeMs: Math.round(performance.now() - this.startedAt) },
      supervisors: [
        { hostId: host?.hostId ?? null, status: host === undefined ? 'unreachable' : 'ok', term: host?.term ?? null, sessions: null },
      ],
      nats: { status: nats },
    };
  }
}
