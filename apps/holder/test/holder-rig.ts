/** A real holder process in directories of its own, and raw clients for its sockets. */
import {
  Channel,
  FrameDecoder,
  PROTOCOL_VERSION,
  decodeMessage,
  encodeHello,
  type Answer,
  type Event,
  type HolderAttached,
  type JsonObject,
  type Message,
  type SpawnSpec,
} from '@holdfast/attach-protocol';
import { JournalReader, RuntimeLayout, StateLayout, readExitRecord, type StoredExit } from '@holdfast/platform-session-store';
import { waitFor } from '@holdfast/testing';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const BUNDLE = resolve(import.meta.dirname, '../dist/holder.cjs');
const DEADLINE_MS = 20_000;

export class HolderRig implements AsyncDisposable {
  readonly state: StateLayout;
  readonly runtime: RuntimeLayout;
  private readonly clients: Client[] = [];
  private isMounted = false;
  private readonly root = mkdtempSync(join(tmpdir(), 'hf-holder-'));
  private constructor(private child: ChildProcess | undefined) {
    this.state = new StateLayout(join(this.root, 'state'));
    this.runtime = new RuntimeLayout(join(this.root, 'run'));
  }

  /** `diskMiB`: the state directory is a file system of that size. */
  static async start(
    options: { capacity?: number; env?: NodeJS.ProcessEnv; wrap?: readonly string[]; diskMiB?: number } = {},
  ): Promise<HolderRig> {
    const rig = new HolderRig(undefined);
    if (options.diskMiB !== undefined) rig.mountDisk(options.diskMiB);
    rig.runtime.ensure();
    mkdirSync(rig.state.holderDir, { recursive: true });
    const record = {
      holderId: 'h1',
      nonce: 'n1',
      build: 'test',
      capacity: options.capacity ?? 64,
      stateDir: rig.state.stateDir,
      runtimeDir: rig.runtime.runtimeDir,
    };
    writeFileSync(rig.state.holderRecordFile('h1'), JSON.stringify(record));
    const [program, ...args] = [...(options.wrap ?? []), process.execPath, BUNDLE, rig.state.holderRecordFile('h1')];
    const child = spawn(program as string, args, {
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
      env: options.env ?? { PATH: process.env['PATH'], HOME: rig.root },
    });
    rig.child = child;
    await new Promise((ready, failed) => {
      child.stdio[3]?.once('data', ready);
      child.once('exit', (code) => failed(new Error(`the holder ended with ${code}`)));
    });
    return rig;
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  get home(): string {
    return this.root;
  }

  kill(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  async control(term = 1): Promise<Client> {
    return this.open(this.runtime.holderSocket('h1'), term);
  }

  async session(sessionId: string, term = 1): Promise<Client> {
    const client = await this.open(this.runtime.sessionSocket(sessionId), term);
    client.journal = () => this.journal(sessionId);
    return client;
  }

  async spawn(control: Client, sessionId: string, command: readonly string[], more: Partial<SpawnSpec> = {}): Promise<Answer> {
    return control.request('spawn', { spec: spec(sessionId, command, more) });
  }

  /** Everything on disk for the session, once its exit is recorded. */
  async ended(sessionId: string): Promise<{ exit: StoredExit['exit']; bytes: Buffer }> {
    const record = await waitFor(() => readExitRecord(this.state.exitFile(sessionId, 1)), { what: `exit of ${sessionId}` });
    return { exit: record.exit, bytes: (await this.journal(sessionId)).subarray(0, record.offset) };
  }

  async journal(sessionId: string): Promise<Buffer> {
    const reader = JournalReader.open(this.state.epochDir(sessionId, 1));
    const parts: Buffer[] = [];
    for (let offset = reader.earliestOffset(); ;) {
      const read = await reader.read(offset, 1 << 20);
      if (read.kind !== 'bytes') return Buffer.concat(parts);
      parts.push(read.bytes);
      offset += read.bytes.length;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.clients) client.channel.close();
    const { child } = this;
    if (child && child.exitCode === null && child.signalCode === null) {
      const over = new Promise((done) => child.once('exit', done));
      child.kill('SIGKILL');
      await over;
    }
    if (this.isMounted) execFileSync('umount', [this.state.stateDir]);
    rmSync(this.root, { recursive: true, force: true });
  }

  private mountDisk(mebibytes: number): void {
    mkdirSync(this.state.stateDir, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', this.state.stateDir]);
    this.isMounted = true;
  }

  private async open(path: string, term: number): Promise<Client> {
    const client = await Client.open(path);
    this.clients.push(client);
    client.channel.send(encodeHello({ protocol: PROTOCOL_VERSION, build: 'test', features: [], term }));
    return client;
  }
}

export function spec(sessionId: string, command: readonly string[], more: Partial<SpawnSpec> = {}): SpawnSpec {
  return { sessionId, epoch: 1, command, env: {}, cols: 80, rows: 24, mark: `mark-${sessionId}`, journalBytes: 64 << 20, ...more };
}

/** Collects what a socket says. */
export class Client {
  readonly messages: Message[] = [];
  readonly events: Event[] = [];
  /** Output by offset, as received. */
  readonly output: { offset: number; bytes: Buffer }[] = [];
  closed = false;
  /** What is on disk of the session this client attaches to. */
  journal: () => Promise<Buffer> = async () => Buffer.alloc(0);
  private before = '';
  readonly channel: Channel;

  private constructor(readonly socket: Socket) {
    this.channel = new Channel(socket, {
      onMessage: (message) => this.take(message),
      onClose: () => {
        this.closed = true;
      },
    });
  }

  static async open(path: string): Promise<Client> {
    const socket = connect(path);
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new Client(socket);
  }

  async request(verb: string, args: JsonObject = {}): Promise<Answer> {
    return this.channel.request(verb, args, DEADLINE_MS);
  }

  async attach(): Promise<HolderAttached> {
    const attached = (await this.request('attach')).head as unknown as HolderAttached;
    this.before = (await this.journal()).subarray(0, attached.offset).toString('utf8');
    return attached;
  }

  async write(text: string, more: { seq?: number; viewerId?: string } = {}): Promise<JsonObject> {
    const answer = await this.channel.write({ stream: 0, seq: 0, viewerId: '', bytes: Buffer.from(text), ...more }, DEADLINE_MS);
    return answer.head;
  }

  /** All there is: what was on disk at the attach, and what came since. */
  get text(): string {
    return this.before + Buffer.concat(this.output.map((part) => part.bytes)).toString('utf8');
  }

  async sees(text: string): Promise<void> {
    await waitFor(() => this.text.includes(text), { what: `output "${text}"` });
  }

  async event(name: string): Promise<Event> {
    return waitFor(() => this.events.find((event) => event.event === name), { what: `event ${name}` });
  }

  async closes(): Promise<void> {
    await waitFor(() => this.closed, { what: 'the holder closes the connection' });
  }

  private take(message: Message): void {
    this.messages.push(message);
    if (message.type === 'event') this.events.push(message.event);
    if (message.type === 'output') this.output.push({ offset: message.output.offset, bytes: Buffer.from(message.output.bytes) });
  }
}

/** Sends raw bytes and gives every message that comes back until the other side closes. */
export async function conversation(path: string, bytes: Buffer): Promise<Message[]> {
  const socket = connect(path);
  const messages: Message[] = [];
  const decoder = new FrameDecoder((frame) => messages.push(decodeMessage(frame)));
  await new Promise<void>((resolve, reject) => {
    socket.on('data', (chunk) => decoder.push(chunk));
    socket.on('close', () => resolve());
    socket.on('error', (error) =>
      (error as NodeJS.ErrnoException).code === 'EPIPE' || (error as NodeJS.ErrnoException).code === 'ECONNRESET'
        ? resolve()
        : reject(error),
    );
    socket.write(bytes);
  });
  return messages;
}
