/** A running instance on temporary directories, with clients, and the means to hurt it. Gone without a trace when disposed. */
import { HoldfastClient, TerminalClient } from '@holdfast/client';
import type { CreateSession, Session, Task, TaskStatus, UpState } from '@holdfast/contracts';
import { createTempDirectory, waitFor, stopProcess, type ProcessExit, type TempDirectory } from '@holdfast/testing';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sweep } from './process-sweep.js';
import { startUp, type RunningUp } from './running-up.js';
import { Viewer, type ViewerOptions } from './viewer.js';

/** Undefined leaves a header out that would be sent otherwise. */
type RequestHeaders = Readonly<Record<string, string | undefined>>;

export interface RigOptions {
  readonly gateways?: number;
  readonly environment?: NodeJS.ProcessEnv;
  readonly arguments?: readonly string[];
}

export interface Rig extends AsyncDisposable {
  readonly stateDir: string;
  readonly runtimeDir: string;
  readonly up: RunningUp;
  readonly holdfast: HoldfastClient;
  upState(): UpState;
  pidOf(service: string): number;
  /** Kills a service and resolves with the milliseconds until `up` says that it serves again. */
  kill(service: string, signal?: NodeJS.Signals): Promise<number>;
  /** Signals a service without waiting for anything: SIGSTOP, SIGCONT. */
  signal(service: string, signal: NodeJS.Signals): void;
  createSession(spec: CreateSession): Promise<Session>;
  /** Resolves with the task once it has this status. */
  taskIs(taskId: string, status: TaskStatus, withinMs?: number): Promise<Task>;
  /** Resolves with the session once it ended. */
  ended(sessionId: string, withinMs?: number): Promise<Session>;
  /** The whole recorded output. */
  outputOf(sessionId: string): Promise<Buffer>;
  /** `gateway` is a name of up.json; the first when absent. */
  open(sessionId: string, options?: ViewerOptions, gateway?: string): Promise<Viewer>;
  /** A request with the token; no client between. */
  request(method: string, path: string, body?: unknown, headers?: RequestHeaders): Promise<Response>;
  /** Stops `up`; the sessions live on. */
  stop(signal?: NodeJS.Signals): Promise<ProcessExit>;
  /** Starts `up` again on the same directories. */
  start(): Promise<void>;
  removeRuntimeDir(): void;
  /** The services' logs, for the message of a failed test. */
  logs(): string;
}

export async function startRig(options: RigOptions = {}): Promise<Rig> {
  const directory = await createTempDirectory();
  const rig = new ProcessRig(directory, options);
  try {
    await rig.start();
    return rig;
  } catch (error) {
    await rig[Symbol.asyncDispose]();
    throw error;
  }
}

class ProcessRig implements Rig {
  readonly stateDir: string;
  readonly runtimeDir: string;
  private running: RunningUp | undefined;
  private client: HoldfastClient | undefined;
  /** By gateway. */
  private readonly terminals = new Map<string, TerminalClient>();

  constructor(
    private readonly directory: TempDirectory,
    private readonly options: RigOptions,
  ) {
    this.stateDir = join(directory.path, 's');
    this.runtimeDir = join(directory.path, 'r');
  }

  get up(): RunningUp {
    if (this.running === undefined) throw new Error('up is not running');
    return this.running;
  }

  get holdfast(): HoldfastClient {
    if (this.client === undefined) throw new Error('up is not running');
    return this.client;
  }

  upState(): UpState {
    return this.up.state();
  }

  pidOf(service: string): number {
    const found = this.upState().services.find(({ name }) => name === service);
    if (found === undefined) throw new Error(`no ${service} in up.json`);
    return found.pid;
  }

  async kill(service: string, signal: NodeJS.Signals = 'SIGKILL'): Promise<number> {
    const pid = this.pidOf(service);
    const killedAt = performance.now();
    process.kill(pid, signal);
    await waitFor(() => this.pidOf(service) !== pid, { what: `${service} is back`, withinMs: 30_000, everyMs: 5 });
    return performance.now() - killedAt;
  }

  signal(service: string, signal: NodeJS.Signals): void {
    if (signal === 'SIGSTOP') stopProcess(this.pidOf(service));
    else process.kill(this.pidOf(service), signal);
  }

  createSession(spec: CreateSession): Promise<Session> {
    return this.holdfast.createSession(spec);
  }

  ended(sessionId: string, withinMs = 30_000): Promise<Session> {
    return waitFor(
      async () => {
        const session = await this.holdfast.getSession(sessionId);
        return session.exit === undefined ? undefined : session;
      },
      { what: `session ${sessionId} ends`, withinMs, everyMs: 50 },
    );
  }

  taskIs(taskId: string, status: TaskStatus, withinMs = 20_000): Promise<Task> {
    let last: Task | undefined;
    return waitFor(
      async () => {
        last = await this.holdfast.getTask(taskId);
        return last.status === status ? last : undefined;
      },
      { what: `task ${taskId} is ${status}`, withinMs, everyMs: 50 },
    ).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}; it is ${JSON.stringify(last)}`, { cause: error });
    });
  }

  async outputOf(sessionId: string): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for (let from: number | undefined; ;) {
      const output = await this.holdfast.readOutput(sessionId, from === undefined ? {} : { from });
      if (output.bytes.length === 0) return Buffer.concat(parts);
      parts.push(output.bytes);
      from = output.nextOffset;
    }
  }

  open(sessionId: string, options: ViewerOptions = {}, gateway = 'gateway-1'): Promise<Viewer> {
    const baseUrl = this.upState().services.find(({ name }) => name === gateway)?.url;
    if (baseUrl === undefined) throw new Error(`no ${gateway} in up.json`);
    const terminals = this.terminals.get(gateway) ?? new TerminalClient({ baseUrl, token: this.up.token });
    this.terminals.set(gateway, terminals);
    return Viewer.open(terminals, sessionId, options);
  }

  request(method: string, path: string, body?: unknown, headers: RequestHeaders = {}): Promise<Response> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const all: RequestHeaders = {
      authorization: `Bearer ${this.up.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    return fetch(`${this.up.baseUrl}${path}`, {
      method,
      headers: Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined),
      ...(body === undefined ? {} : { body: isRaw ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
  }

  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<ProcessExit> {
    this.closeTerminals();
    const exit = await this.up.stop(signal);
    this.running = undefined;
    return exit;
  }

  async start(): Promise<void> {
    const { gateways = 1, environment = {}, arguments: extra = [] } = this.options;
    this.running = await startUp({ stateDir: this.stateDir, runtimeDir: this.runtimeDir, gateways, environment, arguments: extra });
    const { baseUrl, token } = this.running;
    this.client = new HoldfastClient({ baseUrl, token });
  }

  removeRuntimeDir(): void {
    rmSync(this.runtimeDir, { recursive: true, force: true });
  }

  logs(): string {
    const directory = join(this.stateDir, 'logs');
    if (!existsSync(directory)) return '';
    return readdirSync(directory)
      .map((name) => `--- ${name}\n${readFileSync(join(directory, name), 'utf8').slice(-4_000)}`)
      .join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closeTerminals();
    await this.running?.process[Symbol.asyncDispose]();
    await sweep(this.directory.path);
    await this.directory[Symbol.asyncDispose]();
  }

  private closeTerminals(): void {
    for (const terminals of this.terminals.values()) terminals.close();
    this.terminals.clear();
  }
}
