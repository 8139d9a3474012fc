/** Starts one holder process: detached, with an environment that sessions may see, ready when it says so. */
import { INHERITED_VARIABLES } from '@holdfast/domain-session';
import { ServiceError, withDeadline } from '@holdfast/kernel';
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { StateLayout } from './state-layout.js';

/** Measured: 40 to 50 ms; a loaded machine takes longer. */
export const HOLDER_START_DEADLINE_MS = 10_000;
/** The holder writes "ready" here and closes it. */
const READY_DESCRIPTOR = 3;
/** The bundle's name in its build directory. */
export const HOLDER_PROGRAM = 'holder.cjs';

export interface HolderProcessStart {
  readonly layout: StateLayout;
  /** Its record is in place already: it reads who it is from there. */
  readonly holderId: string;
  /** Directory of the copied bundle. */
  readonly build: string;
  /** Only what sessions may inherit is handed on. */
  readonly environment: NodeJS.ProcessEnv;
  /** Called right after the spawn, before the holder is ready: a crash in between must find it. */
  readonly onSpawned?: (pid: number) => void;
}

/**
 * Resolves with the pid once the holder's socket accepts; it then lives by itself. One that does not get so far is killed.
 * @throws ServiceError `holder.start-failed`.
 */
export async function startHolderProcess(start: HolderProcessStart): Promise<number> {
  const child = spawnHolder(start);
  try {
    if (child.pid !== undefined) start.onSpawned?.(child.pid);
    await withDeadline(readiness(child), HOLDER_START_DEADLINE_MS, `start of holder ${start.holderId}`, 'holder.start-failed');
    return child.pid as number;
  } catch (error) {
    child.kill('SIGKILL');
    throw ServiceError.from(error);
  } finally {
    child.stdio[READY_DESCRIPTOR]?.destroy();
    child.unref();
  }
}

function spawnHolder({ layout, holderId, build, environment }: HolderProcessStart): ChildProcess {
  const log = openSync(layout.holderLogFile(holderId), 'a', 0o600);
  try {
    const program = join(layout.holderBuildDir(build), HOLDER_PROGRAM);
    return spawn(process.execPath, [program, layout.holderRecordFile(holderId)], {
      cwd: '/',
      detached: true,
      env: holderEnvironment(environment),
      stdio: ['ignore', log, log, 'pipe'],
    });
  } finally {
    closeSync(log);
  }
}

/** What sessions inherit comes through the holder, so that it must not have more than they may see. */
function holderEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = Object.keys(environment).filter((name) => INHERITED_VARIABLES.includes(name) || name === 'LANG' || name.startsWith('LC_'));
  return Object.fromEntries(names.map((name) => [name, environment[name]]));
}

function readiness(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new ServiceError('holder.start-failed', `the holder ${why} before it was ready`));
    child.once('error', (error) => fail(`could not be started (${error.message})`));
    child.once('exit', (code, signal) => fail(`ended (${signal ?? String(code)})`));
    const pipe = child.stdio[READY_DESCRIPTOR] as Readable | undefined;
    let said = '';
    pipe?.on('data', (chunk: Buffer) => {
      said += chunk.toString('latin1');
      if (said.startsWith('ready\n')) resolve();
    });
    pipe?.on('error', () => {});
  });
}
