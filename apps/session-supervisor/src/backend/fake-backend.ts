/** A backend in memory, for specs: it holds what it is told to hold, and fails as it is told to fail. */
import type { ExitRecord, SpawnSpec, Spawned } from '@holdfast/attach-protocol';
import { ServiceError } from '@holdfast/kernel';
import type { ProcessRef } from '../processes/process-snapshot.js';
import type { TreeKill } from '../processes/tree-killer.js';
import type {
  InputAccepted,
  Listing,
  Placement,
  SessionHandle,
  SessionRef,
  StreamEvent,
  TerminalBackend,
} from './terminal-backend.port.js';

export const FAKE_HOLDER = { id: 'h1', identity: { bootId: 'boot', pid: 7, startTime: 70 } };

export class FakeHandle implements SessionHandle {
  start = { offset: 0, cols: 80, rows: 24, recordingStopped: false };
  isResponsive = true;
  readonly written: string[] = [];
  disposed = false;
  emitData: (offset: number, bytes: Uint8Array) => void = () => {};
  emitEvent: (event: StreamEvent) => void = () => {};
  emitExit: (record: ExitRecord) => void = () => {};

  async write(bytes: Uint8Array): Promise<InputAccepted> {
    this.written.push(Buffer.from(bytes).toString());
    return { accepted: bytes.length };
  }
  writeSequence(payloads: readonly Uint8Array[]): Promise<InputAccepted> {
    return this.write(Buffer.concat(payloads));
  }
  lastSequence = async (): Promise<number> => 0;
  resize = async (): Promise<{ offset: number; changed: boolean }> => ({ offset: 0, changed: true });
  readonly holds: number[] = [];
  hold(forMs: number): void {
    this.holds.push(forMs);
  }
  onData(listener: (offset: number, bytes: Uint8Array) => void): void {
    this.emitData = listener;
  }
  onEvent(listener: (event: StreamEvent) => void): void {
    this.emitEvent = listener;
  }
  onExit(listener: (record: ExitRecord) => void): void {
    this.emitExit = listener;
  }
  dispose(): void {
    this.disposed = true;
    this.emitEvent({ type: 'closed' });
  }
}

export class FakeBackend implements TerminalBackend {
  readonly name = 'holder';
  readonly capabilities = { exactOutput: true, exactAfterGap: true, exitCode: true };
  /** Errors of the next spawns, first to last; after them spawns succeed. */
  spawnErrors: ServiceError[] = [];
  alive: 'alive' | 'dead' | 'unknown' = 'alive';
  /** Undefined: attaching fails with `holder.unreachable`. */
  handle: FakeHandle | undefined;
  readonly spawned: SpawnSpec[] = [];
  readonly killed: string[] = [];
  openPlaces = 0;
  killReport: TreeKill = { signalled: [], survivors: [] };
  onKill: () => void = () => {};

  async createSession(): Promise<Placement> {
    this.openPlaces += 1;
    return { holder: FAKE_HOLDER, spawn: (spec) => this.spawn(spec), release: () => void (this.openPlaces -= 1) };
  }
  async attachSession(ref: SessionRef): Promise<SessionHandle> {
    if (!this.handle) throw new ServiceError('holder.unreachable', `no ${ref.sessionId}`);
    return this.handle;
  }
  /** Undefined: what was spawned. */
  listing: Listing | undefined;
  listSessions = async (): Promise<Listing> => this.listing ?? { known: true, ids: this.spawned.map((spec) => spec.sessionId) };
  isAlive = async (): Promise<'alive' | 'dead' | 'unknown'> => this.alive;
  leaderOf = async (): Promise<ProcessRef | undefined> => ({ pid: 42, startTime: 420 });
  async killSession(ref: SessionRef): Promise<TreeKill> {
    this.killed.push(ref.sessionId);
    this.onKill();
    return this.killReport;
  }
  forget = async (): Promise<void> => {};
  onError(): void {}

  private async spawn(spec: SpawnSpec): Promise<Spawned> {
    const error = this.spawnErrors.shift();
    if (error) throw error;
    this.spawned.push(spec);
    return { pid: 42, startTime: 420, cwd: '/' };
  }
}
