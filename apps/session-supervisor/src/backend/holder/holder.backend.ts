/** The default backend: sessions held by our own holder processes. */
import { ServiceError } from '@holdfast/kernel';
import { livenessOf, type RuntimeLayout } from '@holdfast/platform-session-store';
import { rmSync } from 'node:fs';
import type { ProcessRef } from '../../processes/process-snapshot.js';
import type { TreeKill, TreeKiller } from '../../processes/tree-killer.js';
import type {
  BackendError,
  FoundSession,
  KillOptions,
  Listing,
  Placement,
  SessionHandle,
  SessionRef,
  TerminalBackend,
} from '../terminal-backend.port.js';
import type { HolderFleet } from './holder-fleet.js';
import type { HolderMember } from './holder-member.js';
import { HolderSessionHandle } from './holder-session-handle.js';
import type { OwnHello } from './open-channel.js';

export class HolderBackend implements TerminalBackend {
  readonly name = 'holder';
  readonly capabilities = { exactOutput: true, exactAfterGap: true, exitCode: true };
  private readonly listeners = new Set<(error: BackendError) => void>();

  constructor(
    private readonly fleet: HolderFleet,
    private readonly runtime: RuntimeLayout,
    private readonly own: OwnHello,
    private readonly killer: TreeKiller,
  ) {}

  /** Takes up the holders that run. `onGone`: a holder's process has ended. `onFound`: a session is held; repeated while it is. */
  start(onGone: (holderId: string) => void, onFound: (found: FoundSession) => void): void {
    this.fleet.start({
      onGone,
      onConnected: (member) => foundIn(member).forEach(onFound),
      onTrouble: (error, holderId) => this.report(error, holderId === undefined ? {} : { holderId }),
    });
  }

  stop(): void {
    this.fleet.stop();
  }

  async createSession(wish: { readonly dedicated: boolean }): Promise<Placement> {
    const member = await this.fleet.place(wish.dedicated);
    const { identity } = member.record;
    if (!identity) throw new ServiceError('holder.unreachable', `holder ${member.id} has no identity yet`);
    let reserved = true;
    const release = (): void => {
      if (!reserved) return;
      reserved = false;
      member.reserved -= 1;
      this.fleet.tend();
    };
    return {
      holder: { id: member.id, identity },
      spawn: (spec) => this.reporting({ sessionId: spec.sessionId, holderId: member.id }, member.spawn(spec)),
      release,
    };
  }

  async attachSession(ref: SessionRef): Promise<SessionHandle> {
    const member = this.fleet.get(ref.holder.id);
    await member?.firstVerdict;
    if (member?.status !== 'connected')
      throw new ServiceError('holder.unreachable', `holder ${ref.holder.id} of session ${ref.sessionId} does not answer`);
    return HolderSessionHandle.attach(this.runtime.sessionSocket(ref.sessionId), this.own, () => member.isResponsive);
  }

  async listSessions(): Promise<Listing> {
    await this.fleet.settled();
    const silent = this.fleet.all().filter((member) => member.status !== 'connected' || !member.isResponsive);
    if (silent.length > 0) return { known: false, why: `${silent.length} holders do not answer` };
    return { known: true, ids: this.fleet.all().flatMap((member) => member.held.map((held) => held.sessionId)) };
  }

  async isAlive(ref: SessionRef): Promise<'alive' | 'dead' | 'unknown'> {
    if (this.livenessOfHolder(ref) === 'dead') return 'dead';
    const member = this.fleet.get(ref.holder.id);
    if (member?.status !== 'connected') return 'unknown';
    const held = await member.list().catch(() => undefined);
    if (!held) return this.livenessOfHolder(ref) === 'dead' ? 'dead' : 'unknown';
    return held.some((session) => isOf(ref, session)) ? 'alive' : 'dead';
  }

  async leaderOf(ref: SessionRef): Promise<ProcessRef | undefined> {
    const member = this.fleet.get(ref.holder.id);
    if (member?.status !== 'connected') return undefined;
    const found = (await member.list()).find((session) => isOf(ref, session));
    return found && { pid: found.pid, startTime: found.startTime };
  }

  killSession(ref: SessionRef, options: KillOptions): Promise<TreeKill> {
    return this.killer.kill({ mark: ref.mark, known: options.known, ...(ref.leader ? { leader: ref.leader } : {}) }, options.graceMs);
  }

  /** A silent holder's sockets stay: it may come back to them. */
  async forget(ref: SessionRef): Promise<void> {
    if (this.livenessOfHolder(ref) === 'dead') rmSync(this.runtime.sessionSocket(ref.sessionId), { force: true });
    const member = this.fleet.get(ref.holder.id);
    if (!member?.held.some((held) => isOf(ref, held))) return;
    await this.refresh(member);
    this.fleet.tend();
  }

  onError(listener: (error: BackendError) => void): void {
    this.listeners.add(listener);
  }

  private async refresh(member: HolderMember): Promise<void> {
    await member.list().catch((error: unknown) => this.report(ServiceError.from(error), { holderId: member.id }));
  }

  /** Also for a holder the fleet has buried, or whose record is gone. */
  private livenessOfHolder(ref: SessionRef): 'alive' | 'dead' | 'unknown' {
    return livenessOf(ref.holder.identity);
  }

  private async reporting<T>(about: { sessionId?: string; holderId?: string }, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      this.report(ServiceError.from(error), about);
      throw error;
    }
  }

  private report(error: ServiceError, about: { sessionId?: string; holderId?: string }): void {
    const { code, retry, message } = error;
    for (const listener of this.listeners) listener({ backend: this.name, code, retry, message, ...about });
  }
}

function foundIn(member: HolderMember): FoundSession[] {
  const { identity } = member.record;
  if (!identity) return [];
  const running = member.held.filter((held) => held.state === 'running');
  return running.map(({ sessionId, epoch, pid, startTime }) => ({
    sessionId,
    epoch,
    holder: { id: member.id, identity },
    leader: { pid, startTime },
  }));
}

function isOf(ref: SessionRef, held: { readonly sessionId: string; readonly epoch: number }): boolean {
  return held.sessionId === ref.sessionId && held.epoch === ref.epoch;
}
