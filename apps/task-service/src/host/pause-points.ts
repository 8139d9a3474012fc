/** Named steps at which a test can stop a launch for good, to kill the process exactly there. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const LAUNCH_STEPS = ['reservation', 'persisted', 'commanded', 'recorded'] as const;
export type LaunchStep = (typeof LAUNCH_STEPS)[number];

export interface PausePoints {
  /** Resolves at once, or never. */
  reach(step: LaunchStep): Promise<void>;
}

export const noPausePoints: PausePoints = { reach: () => Promise.resolve() };

/** Written into the state directory once the step is reached. */
export function pauseMarker(stateDir: string, step: LaunchStep): string {
  return join(stateDir, `test-paused-at-${step}`);
}

/** Only with HOLDFAST_TEST_HOOKS=1 is HOLDFAST_TEST_PAUSE_AT heard: steps separated by commas. A step whose marker is there is passed: a restart goes on. */
export function pausePointsOf(environment: NodeJS.ProcessEnv, stateDir: string): PausePoints {
  const wanted = environment['HOLDFAST_TEST_PAUSE_AT']?.split(',') ?? [];
  if (environment['HOLDFAST_TEST_HOOKS'] !== '1' || wanted.length === 0) return noPausePoints;
  return {
    reach(step) {
      if (!wanted.includes(step) || existsSync(pauseMarker(stateDir, step))) return Promise.resolve();
      writeFileSync(pauseMarker(stateDir, step), `${process.pid}\n`);
      return new Promise(() => undefined);
    },
  };
}
