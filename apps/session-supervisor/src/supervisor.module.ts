/** The Nest module around the supervisor: its lifetime is the application context's. */
import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Supervisor, type SupervisorOptions } from './supervisor.js';

@Module({})
export class SupervisorModule implements OnApplicationShutdown {
  constructor(private readonly supervisor: Supervisor) {}

  static of(options: SupervisorOptions): DynamicModule {
    return { module: SupervisorModule, providers: [{ provide: Supervisor, useFactory: () => Supervisor.start(options) }] };
  }

  onApplicationShutdown(): Promise<void> {
    return this.supervisor.stop();
  }
}
