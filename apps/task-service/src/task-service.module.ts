/** The Nest module around the task service: its lifetime is the application context's. */
import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { TaskService } from './task-service.js';

@Module({})
export class TaskServiceModule implements OnApplicationShutdown {
  constructor(@Inject(TaskService) private readonly service: TaskService) {}

  /** Takes a service that serves already, so that its refusal to start is its own error and nobody else's. */
  static around(service: TaskService): DynamicModule {
    return { module: TaskServiceModule, providers: [{ provide: TaskService, useValue: service }] };
  }

  onApplicationShutdown(): Promise<void> {
    return this.service.stop();
  }
}
