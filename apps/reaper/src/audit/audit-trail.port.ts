/** Where every verdict that acted is told: for good, and to whoever follows. */
import type { ReaperAuditEntry } from '@holdfast/contracts';

export interface AuditTrail {
  /** Never rejects: what was done is done, and a trail that fails is reported by itself. */
  record(entry: ReaperAuditEntry): Promise<void>;
}
