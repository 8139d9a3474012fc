/** One `up` as a process: started on given directories, read by its ready line and `up.json`, stopped by a signal. */
import { upStateSchema, type UpState } from '@holdfast/contracts';
import { launch, type LaunchedProcess, type ProcessExit } from '@holdfast/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Built; this file is in apps/system-e2e/src or dist. */
export const UP_PROGRAM = join(import.meta.dirname, '..', '..', '..', 'tools', 'up', 'dist', 'main.js');

/** A cold machine under load; the product's own limit is judged by the test that measures it. */
const READY_WITHIN_MS = 60_000;

export interface UpPlace {
  readonly stateDir: string;
  readonly runtimeDir: string;
  readonly gateways?: number;
  readonly environment?: NodeJS.ProcessEnv;
  readonly arguments?: readonly string[];
}

export interface RunningUp {
  readonly process: LaunchedProcess;
  readonly baseUrl: string;
  readonly token: string;
  state(): UpState;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<ProcessExit>;
}

/** Starts the launcher without waiting for anything. */
export function launchUp(place: UpPlace): Promise<LaunchedProcess> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('HOLDFAST_'));
  return launch(process.execPath, {
    arguments: [
      UP_PROGRAM,
      '--port',
      '0',
      '--state-dir',
      place.stateDir,
      '--gateways',
      String(place.gateways ?? 1),
      ...(place.arguments ?? []),
    ],
    environment: { ...Object.fromEntries(inherited), HOLDFAST_RUNTIME_DIR: place.runtimeDir, ...place.environment },
  });
}

/** Resolves once the ready line is there. */
export async function startUp(place: UpPlace): Promise<RunningUp> {
  const process = await launchUp(place);
  try {
    const [, baseUrl = '', token = ''] = await process.prints(/^holdfast ready (http:\/\/[^/]+)\/#token=(\S+)\n/, READY_WITHIN_MS);
    return {
      process,
      baseUrl,
      token,
      state: () => upStateSchema.parse(JSON.parse(readFileSync(join(place.stateDir, 'up.json'), 'utf8'))),
      stop: (signal = 'SIGINT') => {
        process.kill(signal);
        return process.exit;
      },
    };
  } catch (error) {
    await process[Symbol.asyncDispose]();
    throw error;
  }
}
