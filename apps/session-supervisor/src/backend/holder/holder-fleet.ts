/** All holders of this host: finds them again, places sessions, keeps one warm, lets the others end. */
import { ServiceError, withDeadline } from '@holdfast/kernel';
import type { RuntimeLayout } from '@holdfast/platform-session-store';
import { rmSync } from 'node:fs';
import type { Clock } from '../../host/clock.js';
import type { HolderLauncher } from './launch/holder-launcher.js';
import { HolderMember, type MemberPorts } from './holder-member.js';
import { pidStartedWith, type HolderRecord, type HolderRecordRepository } from './holder-records.repository.js';
import type { OwnHello } from './open-channel.js';

export interface FleetOptions {
  readonly own: OwnHello;
  readonly runtime: RuntimeLayout;
  readonly clock: Clock;
  /** Sessions of a shared holder; a dedicated one takes one. */
  readonly sessionsPerHolder: number;
}

export interface FleetListener {
  /** A holder's process is gone: what it held is lost or has ended. */
  onGone(holderId: string): void;
  /** A holder that was found at the start, or lost and found again, has said what it holds. */
  onConnected(member: HolderMember): void;
  onTrouble(error: ServiceError, holderId: string | undefined): void;
}

/** After a failed start of a warm holder nobody asked for, so that a broken bundle is no busy loop. */
const WARM_RETRY_MS = 5_000;
/** A new holder that listens is connected within this. */
const CONNECTED_DEADLINE_MS = 2_000;

export class HolderFleet {
  private readonly members = new Map<string, HolderMember>();
  private readonly waiters = new Set<() => void>();
  private readonly starting = new Map<number, Promise<HolderMember>>();
  private listener: FleetListener = { onGone: () => {}, onConnected: () => {}, onTrouble: () => {} };
  private warmNotBefore = 0;
  private stopped = false;

  constructor(
    private readonly options: FleetOptions,
    private readonly launcher: HolderLauncher,
    private readonly records: HolderRecordRepository,
  ) {}

  /** Takes up every recorded holder at once, each on its own: a silent one delays no other. Returns before they answer. */
  start(listener: FleetListener): void {
    this.listener = listener;
    const { records, corrupt } = this.records.loadAll();
    corrupt.forEach((id) =>
      listener.onTrouble(new ServiceError('storage.failed', `the record of holder ${id} is corrupt and was moved aside`), id),
    );
    if (corrupt.length === 0) this.launcher.removeOldBuilds(records);
    records.forEach((record) => this.takeUp(record));
    this.tend();
  }

  stop(): void {
    this.stopped = true;
    for (const member of this.members.values()) member.stop();
    this.notify();
  }

  get(holderId: string): HolderMember | undefined {
    return this.members.get(holderId);
  }

  all(): readonly HolderMember[] {
    return [...this.members.values()];
  }

  /**
   * A connected holder with one place reserved; release it by lowering `reserved` and calling `tend`, which starts the next warm one:
   * not before, so that its start does not compete with the spawn.
   * @throws ServiceError `holder.start-failed`.
   */
  async place(dedicated: boolean): Promise<HolderMember> {
    await this.settled();
    const capacity = dedicated ? 1 : this.options.sessionsPerHolder;
    for (;;) {
      const member = this.withRoom(capacity) ?? (await this.startOne(capacity));
      if (!this.canTake(member, capacity)) continue;
      member.reserved += 1;
      return member;
    }
  }

  /** Resolves once every holder found at the start has answered or failed to; never later than a connect deadline. */
  async settled(): Promise<void> {
    await this.until(() => this.stopped || this.all().every((member) => member.status !== 'connecting'));
  }

  /** Looks at warm and empty holders again; call it when a place was given back. */
  tend(): void {
    if (this.stopped || this.starting.size > 0 || this.all().some((member) => member.status === 'connecting')) return;
    const spare = this.all().filter((member) => member.status === 'connected' && !member.isRetiring && member.isEmpty);
    const keep = spare.find((member) => this.canTake(member, this.options.sessionsPerHolder));
    for (const member of spare) if (member !== keep) this.retire(member);
    if (!this.withRoom(this.options.sessionsPerHolder)) this.startWarm();
  }

  private takeUp(record: HolderRecord): HolderMember {
    const { own, clock, runtime } = this.options;
    const ports: MemberPorts = {
      own,
      clock,
      socketOf: (holderId) => runtime.holderSocket(holderId),
      findPid: (missing) => pidStartedWith(this.records.pathOf(missing.holderId)),
      onChange: (member, error) => this.changed(member, error),
    };
    const member = new HolderMember(record, ports);
    this.members.set(member.id, member);
    void member.run();
    return member;
  }

  private changed(member: HolderMember, error: ServiceError | undefined): void {
    if (error) this.listener.onTrouble(error, member.id);
    if (member.status === 'gone') this.bury(member);
    if (member.status === 'connected') this.listener.onConnected(member);
    if (member.status === 'connected' && this.isOldBuild(member) && !member.isRetiring) this.retire(member);
    this.notify();
    this.tend();
  }

  private bury(member: HolderMember): void {
    this.members.delete(member.id);
    rmSync(this.options.runtime.holderSocket(member.id), { force: true });
    this.records.remove(member.id);
    this.listener.onGone(member.id);
  }

  private isOldBuild(member: HolderMember): boolean {
    return this.launcher.isOutdated(member.record.build);
  }

  private canTake(member: HolderMember, capacity: number): boolean {
    const usable = member.status === 'connected' && member.isResponsive && !member.isRetiring && !this.isOldBuild(member);
    return usable && member.record.capacity === capacity && member.room > 0;
  }

  /** The fullest one with room, so that others can become empty. */
  private withRoom(capacity: number): HolderMember | undefined {
    return this.all()
      .filter((member) => this.canTake(member, capacity))
      .sort((a, b) => a.room - b.room)[0];
  }

  /** One start at a time per capacity: creates that come together share it. Nothing is retired until they have their places. */
  private startOne(capacity: number): Promise<HolderMember> {
    const running = this.starting.get(capacity);
    if (running) return running;
    const started = this.launch(capacity).finally(() => this.starting.delete(capacity));
    this.starting.set(capacity, started);
    return started;
  }

  private async launch(capacity: number): Promise<HolderMember> {
    const member = this.takeUp(await this.launcher.start(this.launcher.draft(capacity)));
    await withDeadline(
      this.until(() => member.status !== 'connecting'),
      CONNECTED_DEADLINE_MS,
      `connection to new holder ${member.id}`,
      'holder.start-failed',
    );
    if (member.status !== 'connected') throw new ServiceError('holder.start-failed', `new holder ${member.id} is ${member.status}`);
    return member;
  }

  private startWarm(): void {
    const { clock, sessionsPerHolder } = this.options;
    if (this.starting.has(sessionsPerHolder) || clock.monotonicMs() < this.warmNotBefore) return;
    this.startOne(sessionsPerHolder).then(
      () => this.tend(),
      (error: unknown) => {
        this.warmNotBefore = clock.monotonicMs() + WARM_RETRY_MS;
        this.listener.onTrouble(ServiceError.from(error), undefined);
      },
    );
  }

  private retire(member: HolderMember): void {
    member.retire().catch((error: unknown) => {
      member.isRetiring = false;
      this.listener.onTrouble(ServiceError.from(error), member.id);
    });
  }

  private notify(): void {
    for (const waiter of [...this.waiters]) waiter();
  }

  private until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => {
      const waiter = (): void => {
        if (!condition()) return;
        this.waiters.delete(waiter);
        resolve();
      };
      this.waiters.add(waiter);
    });
  }
}
