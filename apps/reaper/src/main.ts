/** Starts the reaper, broker or not. Kills it commanded go on when it ends. */
import 'reflect-metadata';
import { loadConfig } from '@holdfast/platform-config';
import { runService } from '@holdfast/platform-observability';
import { NestFactory } from '@nestjs/core';
import { Reaper } from './reaper.js';
import { ReaperModule } from './reaper.module.js';

await runService({
  name: 'reaper',
  start: async (environment, log) => {
    const reaper = Reaper.start({ config: loadConfig(environment), log });
    return NestFactory.createApplicationContext(ReaperModule.around(reaper), { logger: log, abortOnError: false });
  },
});
