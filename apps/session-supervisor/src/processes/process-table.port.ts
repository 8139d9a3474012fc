/** What killing needs of the machine. */
import type { ProcessRef, ProcessSnapshot } from './process-snapshot.js';

export type SignalName = 'SIGTERM' | 'SIGHUP' | 'SIGCONT' | 'SIGKILL';

export interface ProcessTable {
  /** Every process there is; takes some milliseconds, never blocks the event loop for all of them. */
  snapshot(): Promise<ProcessSnapshot>;
  /** Signals that very process. False when it is gone (its pid may be another's by now) or not ours to signal. */
  signal(process: ProcessRef, signal: SignalName): boolean;
  /** True when it ignores SIGTERM, as interactive shells do; false when it cannot be known. */
  ignoresTerminate(process: ProcessRef): boolean;
  /** Pids never to be signalled: holders and services, beside ourselves and our ancestors. */
  servicePids(): readonly number[];
  readonly ownPid: number;
}
