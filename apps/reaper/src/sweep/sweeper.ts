/** Sweeps: judges all sessions, reaps what is a leak, and tells what came of it. One sweep at a time. */
import type { ReaperPlan, ReaperStatus, ReapVerdict } from '@holdfast/contracts';
import type { ReapLimits } from '@holdfast/domain-liveness';
import type { AuditTrail } from '../audit/audit-trail.port.js';
import { wallTime, type Clock } from '../clock.js';
import type { HostInventory } from '../inventory/host-inventory.js';
import { judgeAll, type Judged } from './judge.js';
import { KillLedger } from './kill-ledger.js';
import { reapSession, type ReapResult } from './reap-session.use-case.js';
import type { Supervisors } from './supervisor.port.js';
import { SweepCounters } from './sweep-counters.js';
import type { TaskStore } from './task-store.port.js';

export interface SweeperOptions {
  readonly inventory: HostInventory;
  readonly store: TaskStore;
  readonly supervisors: Supervisors;
  readonly trail: AuditTrail;
  readonly clock: Clock;
  readonly limits: ReapLimits;
  /** False: decides and reports, kills nothing. */
  readonly enabled: boolean;
  readonly maxKillsPerSweep: number;
}

export class Sweeper {
  private readonly ledger = new KillLedger();
  private readonly counters: SweepCounters;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: SweeperOptions) {
    this.counters = new SweepCounters(options.enabled);
  }

  status(): ReaperStatus {
    return this.counters.current();
  }

  /** What a sweep would do now, if every probe said "alive". Asks the store, touches nothing. */
  async plan(): Promise<ReaperPlan> {
    return planOf(await this.judge(), wallTime(this.options.clock));
  }

  /**
   * Runs after a sweep under way and resolves with its own verdicts once its kills are over; `onDecided` gets the verdicts before
   * any probe.
   */
  sweep(onDecided: (plan: ReaperPlan) => void = () => undefined): Promise<ReaperPlan> {
    const next = this.last.then(() => this.run(onDecided));
    this.last = next.catch(() => undefined);
    return next;
  }

  private async run(onDecided: (plan: ReaperPlan) => void): Promise<ReaperPlan> {
    const { clock } = this.options;
    this.ledger.prune(clock.monotonicMs());
    const judged = await this.judge();
    onDecided(planOf(judged, wallTime(clock)));
    const results = await this.reapAll(judged.filter(({ verdict }) => verdict.do === 'reap'));
    const settled = judged.map((one) => results.get(one) ?? { verdict: one.verdict });
    const at = wallTime(clock);
    this.counters.swept(settled, at);
    return planOf(settled, at);
  }

  private async judge(): Promise<readonly Judged[]> {
    const { inventory, clock, limits } = this.options;
    const hosts = inventory.hosts(clock.monotonicMs());
    this.counters.sawHosts(hosts, clock.monotonicMs(), limits);
    const judged = await judgeAll(hosts, this.options);
    return judged.map((one) => ({ ...one, verdict: this.withheld(one.verdict) ?? one.verdict }));
  }

  /** A leak that is not reaped now, for a reason of the reaper's own. */
  private withheld(verdict: ReapVerdict): ReapVerdict | undefined {
    if (verdict.do !== 'reap') return undefined;
    if (!this.options.enabled) return { ...verdict, do: 'wait', why: 'switched-off' };
    const pause = this.ledger.pause(verdict, this.options.clock.monotonicMs());
    return pause && { ...verdict, do: 'wait', why: 'kill-paused', evidence: { ...verdict.evidence, ...pause } };
  }

  /** Batch by batch, so that sessions that turn out to be none of our business do not use up the kills of a sweep. */
  private async reapAll(leaks: readonly Judged[]): Promise<ReadonlyMap<Judged, ReapResult>> {
    const results = new Map<Judged, ReapResult>();
    const silentHosts = new Set<string>();
    let killsLeft = this.options.maxKillsPerSweep;
    let rest = leaks;
    while (rest.length > 0 && killsLeft > 0) {
      const batch = rest.slice(0, killsLeft);
      rest = rest.slice(batch.length);
      const settled = await Promise.all(batch.map((leak) => this.reap(leak, silentHosts)));
      batch.forEach((leak, index) => results.set(leak, settled[index] ?? { verdict: leak.verdict }));
      killsLeft -= settled.filter(({ act }) => act !== undefined).length;
    }
    for (const leak of rest) results.set(leak, { verdict: { ...leak.verdict, do: 'wait', why: 'sweep-limit' } });
    return results;
  }

  private async reap(leak: Judged, silentHosts: Set<string>): Promise<ReapResult> {
    const { hostId } = leak.host;
    if (silentHosts.has(hostId)) return { verdict: { ...leak.verdict, do: 'wait', why: 'probe-silent' } };
    const result = await reapSession(leak, this.options);
    if (result.verdict.why === 'probe-silent') silentHosts.add(hostId);
    if (result.act) await this.settle({ ...result, act: result.act });
    return result;
  }

  private async settle(result: ReapResult & Required<Pick<ReapResult, 'act'>>): Promise<void> {
    const { verdict, act } = result;
    const { clock, trail } = this.options;
    if (act.outcome === 'failed' || act.outcome === 'refused') this.ledger.failed(verdict, clock.monotonicMs());
    else this.ledger.succeeded(verdict);
    this.counters.acted(result);
    await trail.record({ at: wallTime(clock), verdict, ...act });
  }
}

function planOf(settled: readonly { readonly verdict: ReapVerdict }[], at: string): ReaperPlan {
  return { at, verdicts: settled.map(({ verdict }) => verdict) };
}
