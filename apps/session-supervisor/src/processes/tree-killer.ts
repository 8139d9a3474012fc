/** Ends a session's process tree: volleys of signals, a fresh look before each, and a last one that verifies. */
import type { Clock } from '../host/clock.js';
import type { ProcessInfo, ProcessRef } from './process-snapshot.js';
import { protectedPids, selectTree, type TreeRoots } from './process-tree.policy.js';
import type { ProcessTable, SignalName } from './process-table.port.js';

/** How long processes may take to end by SIGTERM before SIGKILL. */
export const DEFAULT_GRACE_MS = 10_000;
/** How long SIGKILL is repeated for what is born meanwhile or stuck in the kernel. */
export const KILL_WAIT_MS = 2_000;
const FIRST_LOOK_AGAIN_MS = 20;
/** A look costs some 10 ms of CPU. */
const LONGEST_LOOK_AGAIN_MS = 200;
/** Looks that must find nobody: a child born behind one look's back is seen by the next. */
const EMPTY_LOOKS = 2;

/** Name as in ps(1), without arguments: these may hold prompts. */
export interface NamedProcess {
  readonly pid: number;
  readonly command: string;
}

export interface TreeKill {
  readonly signalled: readonly (NamedProcess & { readonly signals: string[] })[];
  readonly survivors: readonly NamedProcess[];
}

export class TreeKiller {
  constructor(
    private readonly table: ProcessTable,
    private readonly clock: Clock,
  ) {}

  /** Living members of the tree now. */
  async look(roots: TreeRoots): Promise<ProcessInfo[]> {
    const snapshot = await this.table.snapshot();
    return selectTree(snapshot, roots, protectedPids(snapshot, this.table.ownPid, this.table.servicePids()));
  }

  /** Takes up to `graceMs` + `KILL_WAIT_MS` and a few looks; what survives is reported, never hidden. */
  async kill(roots: TreeRoots, graceMs: number): Promise<TreeKill> {
    const ledger = new Ledger(roots);
    if (graceMs > 0) await this.volleys(ledger, graceMs, (member) => this.terminate(ledger, member));
    await this.volleys(ledger, KILL_WAIT_MS, (member) => this.signal(ledger, member, 'SIGKILL'));
    const survivors = await this.look(ledger.roots());
    return { signalled: ledger.entries(), survivors: survivors.map(named) };
  }

  /** Signals every member it finds until nobody is found any more or the time is over. */
  private async volleys(ledger: Ledger, forMs: number, signal: (member: ProcessInfo) => void): Promise<void> {
    const end = this.clock.monotonicMs() + forMs;
    let pauseMs = FIRST_LOOK_AGAIN_MS;
    for (let empty = 0; empty < EMPTY_LOOKS;) {
      const members = await this.look(ledger.roots());
      empty = members.length === 0 ? empty + 1 : 0;
      members.forEach(signal);
      const leftMs = end - this.clock.monotonicMs();
      if (leftMs <= 0 && members.length > 0) return;
      if (members.length > 0) await this.clock.pause(Math.min(pauseMs, leftMs));
      pauseMs = Math.min(pauseMs * 2, LONGEST_LOOK_AGAIN_MS);
    }
  }

  /** An interactive shell ignores SIGTERM: SIGHUP is what closing its terminal would send. A stopped process gets neither without SIGCONT. */
  private terminate(ledger: Ledger, member: ProcessInfo): void {
    if (ledger.has(member, 'SIGTERM')) return;
    const shellLike = this.table.ignoresTerminate(member);
    this.signal(ledger, member, 'SIGTERM');
    if (shellLike) this.signal(ledger, member, 'SIGHUP');
    if (member.state === 'T' || member.state === 't') this.signal(ledger, member, 'SIGCONT');
  }

  private signal(ledger: Ledger, member: ProcessInfo, signal: SignalName): void {
    if (this.table.signal(member, signal)) ledger.record(member, signal);
  }
}

export function named(process: ProcessInfo): NamedProcess {
  return { pid: process.pid, command: process.command };
}

/** Who got which signal; whoever did is a root of later looks, since an orphan of it may have lost every other tie. */
class Ledger {
  private readonly members = new Map<string, { readonly process: ProcessInfo; readonly signals: string[] }>();

  constructor(private readonly start: TreeRoots) {}

  has(process: ProcessInfo, signal: SignalName): boolean {
    return this.members.get(keyOf(process))?.signals.includes(signal) ?? false;
  }

  record(process: ProcessInfo, signal: SignalName): void {
    const key = keyOf(process);
    const member = this.members.get(key) ?? { process, signals: [] };
    this.members.set(key, member);
    if (!member.signals.includes(signal)) member.signals.push(signal);
  }

  roots(): TreeRoots {
    const seen = [...this.members.values()].map(({ process }) => process);
    return { ...this.start, known: [...this.start.known, ...seen], recentSessions: [...new Set(seen.map((process) => process.session))] };
  }

  entries(): TreeKill['signalled'] {
    return [...this.members.values()].map(({ process, signals }) => ({ ...named(process), signals }));
  }
}

function keyOf(ref: ProcessRef): string {
  return `${ref.pid}:${ref.startTime}`;
}
