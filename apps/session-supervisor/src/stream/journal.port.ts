/** What a stream needs of a session's output on disk. */
import type { Resize } from '@holdfast/domain-session';
import type { JournalRead } from '@holdfast/platform-session-store';

/** `JournalReader` is the real one. */
export interface Journal {
  earliestOffset(): number;
  endOffset(): number;
  read(offset: number, maxBytes: number): Promise<JournalRead>;
  /** The size at the start, then each resize, by offset. */
  sizes(): readonly Resize[];
}
