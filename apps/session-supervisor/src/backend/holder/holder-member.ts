/** One holder as the fleet sees it: its control connection, kept for as long as its process lives. */
import type { Channel, SpawnSpec, Spawned } from '@holdfast/attach-protocol';
import { ServiceError } from '@holdfast/kernel';
import { bootId, livenessOf, processIdentity } from '@holdfast/platform-session-store';
import type { Clock } from '../../host/clock.js';
import { helloFactsSchema, listSchema, parseAnswer, spawnedSchema, type Held } from './holder-messages.schema.js';
import type { HolderRecord } from './holder-records.repository.js';
import { HOLDER_DEADLINE_MS } from './holder-session-handle.js';
import { openChannel, type OwnHello } from './open-channel.js';

/** A spawn forks and execs; the disk of its journal may be slow. */
export const SPAWN_DEADLINE_MS = 10_000;
/** How often a connected holder is asked whether it still answers. */
export const PROBE_INTERVAL_MS = 2_000;
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 1_000;

export type MemberStatus = 'connecting' | 'connected' | 'unreachable' | 'gone';

export interface MemberPorts {
  readonly own: OwnHello;
  readonly clock: Clock;
  socketOf(holderId: string): string;
  /** Of a holder whose record has no identity yet; undefined when no such process runs. */
  findPid(record: HolderRecord): number | undefined;
  /** Status, sessions or identity changed. */
  onChange(member: HolderMember, error?: ServiceError): void;
}

export class HolderMember {
  status: MemberStatus = 'connecting';
  /** False while connected and silent: stopped, or starved. */
  isResponsive = false;
  isRetiring = false;
  /** Places given away and not yet spawned. */
  reserved = 0;
  held: readonly Held[] = [];
  /** Settles with the first answer, or the first failure to get one. */
  readonly firstVerdict: Promise<void>;
  private markVerdict!: () => void;
  private channel: Channel | undefined;
  private stopped = false;
  private wake: (() => void) | undefined;

  constructor(
    public record: HolderRecord,
    private readonly ports: MemberPorts,
  ) {
    this.firstVerdict = new Promise((resolve) => (this.markVerdict = resolve));
  }

  get id(): string {
    return this.record.holderId;
  }

  get room(): number {
    return this.record.capacity - this.held.length - this.reserved;
  }

  get isEmpty(): boolean {
    return this.held.length === 0 && this.reserved === 0;
  }

  /** Runs until the holder's process is gone or `stop` is called. */
  async run(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (!this.stopped) {
      if (this.liveness() === 'dead') return this.change('gone');
      const error = await this.serve();
      if (error === undefined) retryMs = FIRST_RETRY_MS;
      else if (this.liveness() !== 'dead') this.change('unreachable', error);
      if (!this.stopped) await this.pause(retryMs);
      retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
    }
  }

  /** Ends the connection; the holder and its sessions live on. */
  stop(): void {
    this.stopped = true;
    this.markVerdict();
    this.channel?.close();
    this.wake?.();
  }

  liveness(): 'alive' | 'dead' | 'unknown' {
    const { identity } = this.record;
    if (identity) return livenessOf(identity);
    const pid = this.ports.findPid(this.record);
    const found = pid === undefined ? undefined : processIdentity(pid);
    if (!found) return 'dead';
    this.record = { ...this.record, identity: found };
    return 'alive';
  }

  /** Asks the holder. @throws ServiceError `holder.unreachable`, `deadline.exceeded`. */
  async list(): Promise<readonly Held[]> {
    const answer = await this.connected().request('list', {}, HOLDER_DEADLINE_MS);
    this.held = parseAnswer(listSchema, answer.head, 'list').sessions;
    return this.held;
  }

  /** @throws ServiceError the holder's refusal by type, or `holder.unreachable`. */
  async spawn(spec: SpawnSpec): Promise<Spawned> {
    const answer = await this.connected().request('spawn', { spec }, SPAWN_DEADLINE_MS);
    const spawned = parseAnswer(spawnedSchema, answer.head, 'spawn');
    const { sessionId, epoch } = spec;
    this.held = [
      ...this.held.filter((held) => held.sessionId !== sessionId),
      { sessionId, epoch, pid: spawned.pid, startTime: spawned.startTime, state: 'running' },
    ];
    return spawned;
  }

  /** It takes no new sessions from now on and ends with its last one. */
  async retire(): Promise<void> {
    this.isRetiring = true;
    await this.connected().request('retire', {}, HOLDER_DEADLINE_MS);
  }

  private connected(): Channel {
    if (!this.channel?.isOpen) throw new ServiceError('holder.unreachable', `holder ${this.id} is not connected`);
    return this.channel;
  }

  /** One connection, from hello to its end. The error is why there was none. */
  private async serve(): Promise<ServiceError | undefined> {
    try {
      const { channel, hello } = await openChannel(this.ports.socketOf(this.id), this.ports.own, {
        onMessage: () => {},
        onClose: () => this.wake?.(),
      });
      this.channel = channel;
      this.checkHello(hello);
      await this.list();
    } catch (error) {
      this.channel?.close();
      return ServiceError.from(error);
    }
    this.isResponsive = true;
    this.change('connected');
    await this.probeUntilClosed();
    this.isResponsive = false;
    return undefined;
  }

  /** Only the starter and the holder know the nonce: a stranger at the same path is not believed. */
  private checkHello(hello: Readonly<Record<string, unknown>>): void {
    const facts = parseAnswer(helloFactsSchema, hello, 'hello');
    if (facts.holderId !== this.id || facts.nonce !== this.record.nonce || facts.bootId !== bootId()) {
      throw new ServiceError('holder.unreachable', `what listens for holder ${this.id} is another`);
    }
    this.record = { ...this.record, identity: { bootId: facts.bootId, pid: facts.pid, startTime: facts.startTime } };
  }

  private async probeUntilClosed(): Promise<void> {
    while (this.channel?.isOpen && !this.stopped) {
      await this.pause(PROBE_INTERVAL_MS);
      if (this.channel.isOpen && !this.stopped) await this.probe();
    }
  }

  private async probe(): Promise<void> {
    const answered = await this.list().then(
      () => true,
      () => false,
    );
    const changed = answered !== this.isResponsive;
    this.isResponsive = answered;
    if (changed || answered) this.ports.onChange(this);
  }

  private change(status: MemberStatus, error?: ServiceError): void {
    const repeated = this.status === status && status !== 'connected';
    this.status = status;
    this.markVerdict();
    if (!repeated) this.ports.onChange(this, error);
  }

  /** Ends early when the connection closes or `stop` is called. */
  private pause(ms: number): Promise<void> {
    return Promise.race([this.ports.clock.pause(ms), new Promise<void>((resolve) => (this.wake = resolve))]);
  }
}
