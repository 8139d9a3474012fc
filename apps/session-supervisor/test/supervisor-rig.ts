/** A supervisor as a process of its own, with real holders, in directories of its own; nothing of it outlives the test. */
import { createTempDirectory, launch, waitFor, type LaunchedProcess, type TempDirectory } from '@holdfast/testing';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LinkClient } from './link-client.js';
import { pidsWith } from './proc-scan.js';

const MAIN = new URL('../dist/main.js', import.meta.url).pathname;

export interface RigOptions {
  readonly environment?: Readonly<Record<string, string>>;
}

export class SupervisorRig implements AsyncDisposable {
  supervisor!: LaunchedProcess;
  link!: LinkClient;
  private readonly clients: LinkClient[] = [];

  private constructor(
    private readonly directory: TempDirectory,
    private readonly options: RigOptions,
  ) {}

  static async start(options: RigOptions = {}): Promise<SupervisorRig> {
    const rig = new SupervisorRig(await createTempDirectory(), options);
    await rig.startSupervisor();
    return rig;
  }

  get stateDir(): string {
    return join(this.directory.path, 'state');
  }

  get runtimeDir(): string {
    return join(this.directory.path, 'run');
  }

  /** Starts it without waiting for anything. */
  launch(): Promise<LaunchedProcess> {
    const environment = {
      ...process.env,
      HOLDFAST_STATE_DIR: this.stateDir,
      HOLDFAST_RUNTIME_DIR: this.runtimeDir,
      HOLDFAST_NATS_URL: '',
      ...this.options.environment,
    };
    return launch(process.execPath, { arguments: [MAIN], environment, ipc: true });
  }

  async startSupervisor(): Promise<void> {
    this.supervisor = await this.launch();
    await waitFor(() => this.supervisor.messages.length > 0 || this.supervisor.child.exitCode !== null, { what: 'supervisor ready' });
    if (this.supervisor.child.exitCode !== null) throw new Error(`supervisor ended: ${this.supervisor.stderr()}`);
    this.link = await this.connect();
  }

  async connect(): Promise<LinkClient> {
    const client = await LinkClient.connect(join(this.runtimeDir, 'supervisor.sock'));
    this.clients.push(client);
    return client;
  }

  async killSupervisor(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.supervisor.kill(signal);
    await this.supervisor.exit;
  }

  async restart(): Promise<void> {
    await this.killSupervisor();
    await this.startSupervisor();
  }

  /** Pids of holders of this rig, by their command lines. */
  holderPids(): number[] {
    return pidsWith(join(this.stateDir, 'holder', 'builds'), true);
  }

  manifest(sessionId: string): { mark: string; state: string; holder: { id: string; identity: { pid: number } } } {
    return JSON.parse(readFileSync(join(this.stateDir, 'sessions', sessionId, 'session.json'), 'utf8')) as ReturnType<SupervisorRig['manifest']>;
  }

  /** Living processes of a session, by the mark in their environment. */
  treeOf(sessionId: string): number[] {
    return pidsWith(`HOLDFAST_SESSION_ID=${sessionId}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.clients) client.close();
    await this.supervisor[Symbol.asyncDispose]();
    await waitFor(() => this.killRemains(), { what: 'no holder or child of the rig left' });
    await this.directory[Symbol.asyncDispose]();
  }

  private killRemains(): boolean {
    const sessions = listOf(join(this.stateDir, 'sessions')).flatMap((sessionId) => this.treeOf(sessionId));
    const remains = [...this.holderPids(), ...sessions];
    for (const pid of remains) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        continue;
      }
    }
    return remains.length === 0;
  }
}

function listOf(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
