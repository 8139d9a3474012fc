/** Starts the task service, broker or not. What it was doing when it ends is resumed by the next start. */
import 'reflect-metadata';
import { loadConfig } from '@holdfast/platform-config';
import { runService } from '@holdfast/platform-observability';
import { NestFactory } from '@nestjs/core';
import { TaskServiceModule } from './task-service.module.js';
import { TaskService } from './task-service.js';

await runService({
  name: 'task-service',
  start: async (environment, log) => {
    const service = await TaskService.start({ config: loadConfig(environment), environment, log });
    return NestFactory.createApplicationContext(TaskServiceModule.around(service), { logger: log, abortOnError: false });
  },
});
