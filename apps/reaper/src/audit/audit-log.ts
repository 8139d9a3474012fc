/** The audit trail of a running reaper: the file first, then the event, then the log. */
import type { ReaperAuditEntry } from '@holdfast/contracts';
import type { Log } from '@holdfast/platform-observability';
import type { AuditFile } from './audit-file.adapter.js';
import type { AuditTrail } from './audit-trail.port.js';

export class AuditLog implements AuditTrail {
  constructor(
    private readonly file: AuditFile,
    private readonly events: { add(entry: ReaperAuditEntry): void },
    private readonly log: Log,
  ) {}

  async record(entry: ReaperAuditEntry): Promise<void> {
    const { hostId, sessionId, epoch, class: reapClass, why } = entry.verdict;
    const facts = { hostId, sessionId, epoch, class: reapClass, why, outcome: entry.outcome, detail: entry.detail };
    await this.file
      .append(entry)
      .catch((error: NodeJS.ErrnoException) => this.log.warn('reaper.audit-not-written', { sessionId, code: error.code }));
    this.events.add(entry);
    if (entry.outcome === 'reaped' || entry.outcome === 'gone') this.log.info('reaper.acted', facts);
    else this.log.warn('reaper.acted', facts);
  }
}
