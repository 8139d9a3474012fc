/** The Nest application context around the supervisor: modules that come beside it share its lifetime. */
import { Module, type DynamicModule, type INestApplicationContext, type LoggerService, type OnApplicationShutdown } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Supervisor } from './supervisor.js';

@Module({})
export class SupervisorModule implements OnApplicationShutdown {
  constructor(private readonly supervisor: Supervisor) {}

  /** Takes a supervisor that serves already: its refusal to start is its own error and nobody else's. */
  static around(supervisor: Supervisor): DynamicModule {
    return { module: SupervisorModule, providers: [{ provide: Supervisor, useValue: supervisor }] };
  }

  onApplicationShutdown(): Promise<void> {
    return this.supervisor.stop();
  }
}

/** Closing the context stops the supervisor. */
export function contextOf(supervisor: Supervisor, logger: LoggerService): Promise<INestApplicationContext> {
  return NestFactory.createApplicationContext(SupervisorModule.around(supervisor), { logger, abortOnError: false });
}
