/** A supervisor as a process of its own, with real holders, in directories of its own; nothing of it outlives the test. */
import { childPidsOf, createTempDirectory, isRunning, launch, waitFor, type LaunchedProcess, type TempDirectory } from '@holdfast/testing';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  launch(extra: Readonly<Record<string, string>> = {}): Promise<LaunchedProcess> {
    const environment = {
      ...process.env,
      HOLDFAST_STATE_DIR: this.stateDir,
      HOLDFAST_RUNTIME_DIR: this.runtimeDir,
      HOLDFAST_NATS_URL: '',
      /** Handed down to every child: tells this rig's processes from any other's. */
      TMPDIR: this.directory.path,
      ...this.options.environment,
      ...extra,
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

  manifest(sessionId: string): {
    mark: string;
    state: string;
    holder: { id: string; identity: { pid: number } };
    createdBoot: { ms: number };
    leader: { startTime: number };
  } {
    return JSON.parse(readFileSync(join(this.stateDir, 'sessions', sessionId, 'session.json'), 'utf8')) as ReturnType<
      SupervisorRig['manifest']
    >;
  }

  /** Writes a manifest as a crash would have left it. */
  plant(sessionId: string, manifest: object): void {
    const directory = join(this.stateDir, 'sessions', sessionId);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'session.json'), JSON.stringify(manifest));
  }

  /** Living processes of a session, by their environment. */
  treeOf(sessionId: string): number[] {
    const own = new Set(pidsWith(`TMPDIR=${this.directory.path}`));
    return pidsWith(`HOLDFAST_SESSION_ID=${sessionId}`).filter((pid) => own.has(pid));
  }

  /** The same, once there is one: a child that was forked a moment ago has its parent's environment until it runs its program. */
  startedTreeOf(sessionId: string): Promise<number[]> {
    const tree = (): number[] | undefined => (this.treeOf(sessionId).length === 0 ? undefined : this.treeOf(sessionId));
    return waitFor(tree, { what: `session ${sessionId} runs its program` });
  }

  /** Descendants of a process now, whatever their environment. */
  descendantsOf(pid: number): number[] {
    return childPidsOf(pid).flatMap((child) => [child, ...this.descendantsOf(child)]);
  }

  isRunning(pid: number): boolean {
    return isRunning(pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.clients) client.close();
    await this.supervisor[Symbol.asyncDispose]();
    await waitFor(() => this.killRemains(), { what: 'no holder or child of the rig left' });
    await this.directory[Symbol.asyncDispose]();
  }

  private killRemains(): boolean {
    const remains = [...this.holderPids(), ...pidsWith(`TMPDIR=${this.directory.path}`)];
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
