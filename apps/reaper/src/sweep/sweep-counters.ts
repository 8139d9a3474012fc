/** The counters a reaper shows: read at any time, never by a scan. */
import type { ReaperStatus } from '@holdfast/contracts';
import { effectiveOrphanAgeMs, isSilent, type ReapLimits } from '@holdfast/domain-liveness';
import type { HeardHost } from '../inventory/host-inventory.js';
import type { ReapResult } from './reap-session.use-case.js';

export class SweepCounters {
  private status: ReaperStatus;

  constructor(enabled: boolean) {
    this.status = {
      enabled,
      sweeps: 0,
      lastSweepAt: null,
      effectiveOrphanAgeMs: null,
      hostsHeard: 0,
      sessionsSeen: 0,
      reapedTotal: 0,
      reapedByClass: {},
      killFailedTotal: 0,
      waiting: 0,
      taskUnknown: 0,
    };
  }

  current(): ReaperStatus {
    return { ...this.status, reapedByClass: { ...this.status.reapedByClass } };
  }

  /** The smallest age in force on any host that is heard. */
  sawHosts(hosts: readonly HeardHost[], now: number, limits: ReapLimits): void {
    const heard = hosts.filter((host) => !isSilent(host.heard, now, limits));
    this.status = {
      ...this.status,
      hostsHeard: heard.length,
      sessionsSeen: heard.reduce((sum, { sessions }) => sum + sessions.length, 0),
      effectiveOrphanAgeMs: Math.min(limits.orphanAgeMs, ...heard.map(({ liveSessions }) => effectiveOrphanAgeMs(liveSessions, limits))),
    };
  }

  swept(results: readonly ReapResult[], at: string): void {
    const waiting = results.filter(({ verdict }) => verdict.do === 'wait');
    this.status = {
      ...this.status,
      sweeps: this.status.sweeps + 1,
      lastSweepAt: at,
      waiting: waiting.length,
      taskUnknown: waiting.filter(({ verdict }) => verdict.why === 'task-unknown').length,
    };
  }

  acted({ verdict, act }: ReapResult): void {
    if (act?.outcome === 'failed') this.status = { ...this.status, killFailedTotal: this.status.killFailedTotal + 1 };
    if (act?.outcome !== 'reaped') return;
    const reapClass = verdict.class ?? 'unowned';
    const { reapedByClass } = this.status;
    this.status = {
      ...this.status,
      reapedTotal: this.status.reapedTotal + 1,
      reapedByClass: { ...reapedByClass, [reapClass]: (reapedByClass[reapClass] ?? 0) + 1 },
    };
  }
}
