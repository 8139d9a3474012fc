/** Starts holders as detached children of the supervisor. */
import { startHolderProcess, type StateLayout } from '@holdfast/platform-session-store';
import type { HolderStart, HolderStarter } from './holder-starter.port.js';

export class LocalHolderStarter implements HolderStarter {
  constructor(
    private readonly layout: StateLayout,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  start(start: HolderStart): Promise<number> {
    return startHolderProcess({ ...start, layout: this.layout, environment: this.environment });
  }
}
