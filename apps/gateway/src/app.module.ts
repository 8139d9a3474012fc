/** What the gateway is made of. The parts know nothing of the framework; they are put together here. */
import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { networkInterfaces } from 'node:os';
import { AccessGuard } from './access/access.guard.js';
import { AuthController } from './access/auth.controller.js';
import { Authenticator } from './access/authenticator.js';
import { FailedAuthLimiter } from './access/failed-auth.limiter.js';
import { OriginPolicy } from './access/origin.policy.js';
import { SessionCookie } from './access/session-cookie.js';
import { ViewerIds } from './access/viewer-ids.js';
import { GatewaySettings } from './gateway-settings.js';
import { BrokerStatus } from './health/broker-status.js';
import { HealthController } from './health/health.controller.js';
import { ProblemFilter } from './http/problem.filter.js';
import { SupervisorLink } from './link/supervisor-link.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SessionsService } from './sessions/sessions.service.js';
import { systemClock } from './system-clock.js';
import { TerminalGateway } from './terminal/terminal.gateway.js';
import { TerminalService } from './terminal/terminal.service.js';

@Module({})
export class AppModule {
  static of(settings: GatewaySettings): DynamicModule {
    return {
      module: AppModule,
      controllers: [HealthController, AuthController, SessionsController],
      providers: [
        { provide: GatewaySettings, useValue: settings },
        ...accessProviders(settings),
        { provide: SupervisorLink, useFactory: () => new SupervisorLink(settings.runtimeDir) },
        { provide: BrokerStatus, useFactory: () => new BrokerStatus(settings.natsUrl) },
        { provide: SessionsService, useFactory: (link: SupervisorLink) => new SessionsService(link), inject: [SupervisorLink] },
        {
          provide: TerminalService,
          useFactory: (link: SupervisorLink) => new TerminalService(link, new ViewerIds(settings.operatorToken), systemClock),
          inject: [SupervisorLink],
        },
        TerminalGateway,
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_FILTER, useClass: ProblemFilter },
      ],
    };
  }
}

function accessProviders({ instance, operatorToken, isBehindHttps, host, publicOrigin }: GatewaySettings): Provider[] {
  const cookie = new SessionCookie({ instance, token: operatorToken, isSecure: isBehindHttps, now: Date.now });
  const limiter = new FailedAuthLimiter(() => systemClock.now());
  const origins = new OriginPolicy({
    bindHost: host,
    ...(publicOrigin === undefined ? {} : { publicOrigin }),
    interfaceAddresses: Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address)),
  });
  return [
    { provide: SessionCookie, useValue: cookie },
    { provide: Authenticator, useValue: new Authenticator(operatorToken, cookie, limiter) },
    { provide: OriginPolicy, useValue: origins },
  ];
}
