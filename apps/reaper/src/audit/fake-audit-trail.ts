/** An audit trail for tests that keeps what it is told. */
import type { ReaperAuditEntry } from '@holdfast/contracts';
import type { AuditTrail } from './audit-trail.port.js';

export class FakeAuditTrail implements AuditTrail {
  readonly entries: ReaperAuditEntry[] = [];

  record(entry: ReaperAuditEntry): Promise<void> {
    this.entries.push(entry);
    return Promise.resolve();
  }
}
