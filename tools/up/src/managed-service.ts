/** One child process that is kept running: started, awaited until it serves, restarted when it dies, stopped in the end. */
import { ExitCode } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { restartPauseMs } from './restart-policy.js';
import type { ServiceLog } from './service-log.js';

/** Covers a start that reads the journals of thousands of sessions; one that hangs is killed then. */
const READY_WITHIN_MS = 60_000;
const TERMINATE_WITHIN_MS = 5_000;
/** Why a service did not start is often the last thing it prints. */
const LAST_WORDS_WITHIN_MS = 200;
/** After `up` was killed, its services get SIGTERM from the kernel; one that still stops holds the instance's lock for a moment. */
const PREDECESSOR_GONE_WITHIN_MS = 6_000;

export interface ServiceCommand {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** Opens an IPC channel. */
  readonly ipc: boolean;
  /** What the kernel sends it when `up` was killed. */
  readonly deathSignal: 'SIGTERM' | 'SIGKILL';
}

export interface ServiceDefinition {
  readonly name: string;
  /** Asked for before every start: a port learnt from the last one is kept. */
  readonly command: () => ServiceCommand;
  /** Settles once the service serves; `gaveUp` aborts when it has ended. */
  readonly ready: (child: ChildProcess, gaveUp: AbortSignal) => Promise<{ readonly url?: string | undefined }>;
}

export interface ServiceHooks {
  readonly log: ServiceLog;
  /** A line for the person in front of the terminal. */
  readonly report: (line: string) => void;
  /** Called before the service counts as ready: what others read about it must be written by then. */
  readonly onReady: (service: { readonly name: string; readonly pid: number; readonly url?: string | undefined }) => void;
}

interface Ended {
  readonly code: number | null;
  readonly how: string;
  readonly wasReady: boolean;
}

export class ManagedService {
  private child: ChildProcess | undefined;
  private readonly stopping = new AbortController();
  private settleFirst: { readonly ready: () => void; readonly failed: (error: unknown) => void } = {
    ready: () => undefined,
    failed: () => undefined,
  };
  private finished: Promise<void> = Promise.resolve();
  private everReady = false;

  constructor(
    private readonly definition: ServiceDefinition,
    private readonly hooks: ServiceHooks,
  ) {}

  /**
   * Resolves once the service serves for the first time. It is kept running until `stop`.
   * @throws ServiceError `instance.in-use` or `config.invalid`, with the service's own words, when it refuses to start for that reason.
   */
  start(): Promise<void> {
    return new Promise((ready, failed) => {
      this.settleFirst = { ready, failed };
      this.finished = this.keepRunning().catch(failed);
    });
  }

  /** SIGTERM, and SIGKILL after 5 s. Resolves when it has ended; nothing of it runs afterwards. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.child?.kill('SIGTERM');
    const killer = setTimeout(() => this.child?.kill('SIGKILL'), TERMINATE_WITHIN_MS);
    await this.finished;
    clearTimeout(killer);
    this.hooks.log.close();
  }

  private async keepRunning(): Promise<void> {
    const startedAt = performance.now();
    for (let diedBeforeReady = 0; !this.stopping.signal.aborted;) {
      const ended = await this.runOnce();
      if (this.stopping.signal.aborted) return;
      if (!this.everReady) this.refuseIfHopeless(ended, performance.now() - startedAt);
      diedBeforeReady = ended.wasReady ? 0 : diedBeforeReady + 1;
      const pauseMs = restartPauseMs(diedBeforeReady);
      this.hooks.report(`${this.definition.name} ${ended.how}; starting it again ${pauseMs === 0 ? 'at once' : `in ${pauseMs} ms`}`);
      if (pauseMs > 0) await pause(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  private async runOnce(): Promise<Ended> {
    try {
      this.child = this.spawn();
    } catch (error) {
      return { code: null, how: notStarted(error), wasReady: false };
    }
    return this.outlive(this.child);
  }

  private async outlive(child: ChildProcess): Promise<Ended> {
    const lastWords = new Promise((resolve) => child.once('close', resolve));
    const gaveUp = new AbortController();
    const late = setTimeout(() => {
      this.hooks.report(`${this.definition.name} is not ready after ${READY_WITHIN_MS} ms and is killed`);
      child.kill('SIGKILL');
    }, READY_WITHIN_MS);
    let wasReady = false;
    void this.definition.ready(child, gaveUp.signal).then(
      ({ url }) => {
        if (gaveUp.signal.aborted) return;
        clearTimeout(late);
        this.hooks.onReady({ name: this.definition.name, pid: child.pid ?? 0, url });
        wasReady = true;
        this.everReady = true;
        this.settleFirst.ready();
      },
      (error: unknown) => {
        if (!gaveUp.signal.aborted) this.hooks.report(`${this.definition.name}: ${(error as Error).message}`);
      },
    );
    const end = await endOf(child);
    clearTimeout(late);
    gaveUp.abort();
    this.child = undefined;
    if (!wasReady) await Promise.race([lastWords, pause(LAST_WORDS_WITHIN_MS)]);
    return { ...end, wasReady };
  }

  /** In a process group of its own, so that Ctrl-C reaches us only and we stop the services in order; killed with us by the kernel. */
  private spawn(): ChildProcess {
    const command = this.definition.command();
    const child = spawn('setpriv', ['--pdeathsig', command.deathSignal, command.program, ...command.arguments], {
      env: command.environment,
      stdio: ['ignore', 'pipe', 'pipe', ...(command.ipc ? (['ipc'] as const) : [])],
      detached: true,
    });
    for (const output of [child.stdout, child.stderr]) {
      if (output) createInterface({ input: output }).on('line', (line) => this.hooks.log.write(line));
    }
    return child;
  }

  private refuseIfHopeless(ended: Ended, triedForMs: number): void {
    const words = `${this.definition.name} ${ended.how}: ${this.hooks.log.tail().join('\n')}`;
    if (ended.code === ExitCode.badConfiguration) throw new ServiceError('config.invalid', words);
    if (ended.code === ExitCode.instanceInUse && triedForMs > PREDECESSOR_GONE_WITHIN_MS) throw new ServiceError('instance.in-use', words);
  }
}

/** Not 'close': that waits for everybody who inherited the output. */
function endOf(child: ChildProcess): Promise<{ code: number | null; how: string }> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, how: notStarted(error) }));
    child.once('exit', (code, signal) => resolve({ code, how: signal === null ? `exited with code ${code}` : `was ended by ${signal}` }));
  });
}

function notStarted(error: unknown): string {
  return `could not be started (${(error as Error).message})`;
}
