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
import { Broker } from './broker/broker.js';
import { GatewaySettings } from './gateway-settings.js';
import { HealthController } from './health/health.controller.js';
import { ServiceVitals } from './health/service-vitals.js';
import { HostDirectory } from './hosts/host-directory.js';
import { HostsController } from './hosts/hosts.controller.js';
import { ProblemFilter } from './http/problem.filter.js';
import { SupervisorLink } from './link/supervisor-link.js';
import { ReaperController } from './reaper/reaper.controller.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SessionsService } from './sessions/sessions.service.js';
import { systemClock } from './system-clock.js';
import { TasksController } from './tasks/tasks.controller.js';
import { TasksService } from './tasks/tasks.service.js';
import { TerminalGateway } from './terminal/terminal.gateway.js';
import { TerminalService } from './terminal/terminal.service.js';

@Module({})
export class AppModule {
  static of(settings: GatewaySettings): DynamicModule {
    return {
      module: AppModule,
      controllers: [HealthController, AuthController, SessionsController, TasksController, ReaperController, HostsController],
      providers: [
        { provide: GatewaySettings, useValue: settings },
        ...accessProviders(settings),
        { provide: SupervisorLink, useFactory: () => new SupervisorLink(settings.runtimeDir) },
        ...brokerProviders(settings),
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

function brokerProviders(settings: GatewaySettings): Provider[] {
  const { now } = systemClock;
  return [
    { provide: Broker, useFactory: () => new Broker(settings) },
    { provide: ServiceVitals, useFactory: (broker: Broker) => new ServiceVitals(broker, now), inject: [Broker] },
    { provide: TasksService, useFactory: (broker: Broker) => new TasksService(broker), inject: [Broker] },
    { provide: HostDirectory, useFactory: hostDirectory, inject: [SupervisorLink, Broker] },
  ];
}

function hostDirectory(link: SupervisorLink, broker: Broker): HostDirectory {
  const hosts = new HostDirectory(link, systemClock.now);
  broker.followBeats((beat) => hosts.take(beat));
  return hosts;
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
