/** The Nest module around the reaper: its lifetime is the application context's. */
import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Reaper } from './reaper.js';

@Module({})
export class ReaperModule implements OnApplicationShutdown {
  constructor(private readonly reaper: Reaper) {}

  /** Takes a reaper that runs already, so that its refusal to start is its own error and nobody else's. */
  static around(reaper: Reaper): DynamicModule {
    return { module: ReaperModule, providers: [{ provide: Reaper, useValue: reaper }] };
  }

  onApplicationShutdown(): Promise<void> {
    return this.reaper.stop();
  }
}
