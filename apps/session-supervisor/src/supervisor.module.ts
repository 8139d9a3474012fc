/** The Nest module around the supervisor: its lifetime is the application context's. */
import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Supervisor } from './supervisor.js';

@Module({})
export class SupervisorModule implements OnApplicationShutdown {
  constructor(private readonly supervisor: Supervisor) {}

  /** Takes a supervisor that serves already, so that its refusal to start is its own error and nobody else's. */
  static around(supervisor: Supervisor): DynamicModule {
    return { module: SupervisorModule, providers: [{ provide: Supervisor, useValue: supervisor }] };
  }

  onApplicationShutdown(): Promise<void> {
    return this.supervisor.stop();
  }
}
