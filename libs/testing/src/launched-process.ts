/** A program under test: its output is kept, its end is awaited, and it never outlives the test. */
import { spawn, type ChildProcess, type Serializable } from 'node:child_process';
import { once } from 'node:events';
import { isRunning } from './process-table.js';
import { waitFor } from './wait-for.js';

export interface LaunchOptions {
  readonly arguments?: readonly string[];
  readonly cwd?: string;
  /** The whole environment; default: this process's. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Opens an IPC channel, whose messages are kept in `messages`. */
  readonly ipc?: boolean;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface LaunchedProcess extends AsyncDisposable {
  readonly pid: number;
  readonly child: ChildProcess;
  /** Messages over the IPC channel so far. */
  readonly messages: readonly Serializable[];
  /** Settles when the process has ended and its output has been read to the end. */
  readonly exit: Promise<ProcessExit>;
  stdout(): string;
  stderr(): string;
  /** The first match in standard output, within the deadline; the error message has what there is instead. */
  prints(pattern: RegExp, withinMs?: number): Promise<RegExpExecArray>;
  /** Sends a signal; does nothing when it has ended. */
  kill(signal: NodeJS.Signals): void;
}

/** Rejects when the program cannot be started. Disposing continues a stopped process and kills it. */
export async function launch(program: string, options: LaunchOptions = {}): Promise<LaunchedProcess> {
  const child = spawn(program, options.arguments ?? [], {
    stdio: ['ignore', 'pipe', 'pipe', ...(options.ipc ? (['ipc'] as const) : [])],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.environment === undefined ? {} : { env: options.environment }),
  });
  const exit = exitOf(child);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const messages: Serializable[] = [];
  child.on('message', (message) => messages.push(message));
  await once(child, 'spawn');
  const kill = (signal: NodeJS.Signals): void => void (child.exitCode === null && child.signalCode === null && child.kill(signal));
  return {
    pid: child.pid ?? 0,
    child,
    messages,
    exit,
    stdout,
    stderr,
    kill,
    prints: (pattern, withinMs = 30_000) => printed({ pattern, withinMs, program, child, stdout, stderr }),
    async [Symbol.asyncDispose]() {
      kill('SIGKILL');
      if (child.pid !== undefined) await waitFor(() => !isRunning(child.pid as number), { what: `process ${child.pid} gone` });
      child.stdout?.destroy();
      child.stderr?.destroy();
      await exit;
    },
  };
}

/** Not by `close`: Node never emits it once the test disconnected the IPC channel itself. */
async function exitOf(child: ChildProcess): Promise<ProcessExit> {
  const outputs = [child.stdout, child.stderr].map((output) => output && new Promise((resolve) => output.once('close', resolve)));
  const exit = await new Promise<ProcessExit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  await Promise.all(outputs);
  return exit;
}

interface Printed {
  readonly pattern: RegExp;
  readonly withinMs: number;
  readonly program: string;
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
}

async function printed({ pattern, withinMs, program, child, stdout, stderr }: Printed): Promise<RegExpExecArray> {
  const found = await waitFor(() => pattern.exec(stdout()) ?? (hasEnded(child) ? 'ended' : undefined), {
    what: `${program} prints ${String(pattern)}`,
    withinMs,
  }).catch((error: unknown) => {
    throw new Error(`${(error as Error).message}\nstdout: ${stdout()}\nstderr: ${stderr()}`);
  });
  if (found !== 'ended') return found;
  throw new Error(`${program} ended without printing ${String(pattern)}\nstdout: ${stdout()}\nstderr: ${stderr()}`);
}

function hasEnded(child: ChildProcess): boolean {
  return (child.exitCode !== null || child.signalCode !== null) && (child.stdout?.readableEnded ?? true);
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = [];
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}
