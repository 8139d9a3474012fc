/** One session as its holder keeps it: PTY, journal, input queue, clients and the end of it all. */
import type { ExitRecord, HeldSession as HeldFacts, HolderAttached, HolderEvent, SpawnSpec } from '@holdfast/attach-protocol';
import { MAX_HOLD_MS } from '@holdfast/attach-protocol';
import { MAX_TERMINAL_SIDE } from '@holdfast/domain-session';
import { ServiceError } from '@holdfast/kernel';
import type { JournalWriter } from '@holdfast/platform-session-store';
import { constants as osConstants } from 'node:os';
import type { Peer } from '../protocol/peer.js';
import type { PtyExit, PtyHandlers, PtyProcess } from '../pty/pty-process.js';
import { InputQueue, type InputWrite } from './input-queue.js';
import { OutputGatherer, type OutputChunk, type SlabPool } from './output-gatherer.js';
import { SessionClient } from './session-client.js';

/** Output waiting for the disk at which reading the PTY stops, and at which it goes on (rule S4). */
export const PAUSE_AT_PENDING_BYTES = 4 * 1024 * 1024;
const RESUME_AT_PENDING_BYTES = 1024 * 1024;

export interface HeldSessionParts {
  readonly spec: SpawnSpec;
  readonly slabs: SlabPool;
  readonly journal: JournalWriter;
  readonly startPty: (handlers: PtyHandlers) => PtyProcess;
  readonly startTimeOf: (pid: number) => number;
  /** Writes `exit.json` durably. */
  readonly saveExit: (record: ExitRecord) => Promise<void>;
  /** Called once, when the output is complete and recorded: the session needs no holder any more. */
  readonly onOver: () => void;
}

export class HeldSession {
  private readonly pty: PtyProcess;
  private readonly input: InputQueue;
  private readonly output: OutputGatherer;
  private readonly clients = new Map<Peer, SessionClient>();
  private readonly leaderPid: number;
  private readonly leaderStartTime: number;
  private size: { cols: number; rows: number };
  private exitRecord: ExitRecord | undefined;
  private exiting: Promise<void> | undefined;
  private holdTimer: NodeJS.Timeout | undefined;
  private pausedForDisk = false;

  constructor(private readonly parts: HeldSessionParts) {
    const { cols, rows } = parts.spec;
    this.size = { cols, rows };
    this.output = new OutputGatherer(parts.slabs, (chunk) => this.publish(chunk));
    this.pty = parts.startPty({
      onData: (bytes) => this.output.push(bytes),
      onExit: (exit) => {
        this.exiting = this.recordExit(exit);
      },
      onEnd: () => void this.finish(),
    });
    this.input = new InputQueue(this.pty);
    this.leaderPid = this.pty.pid;
    this.leaderStartTime = this.leaderPid === 0 ? 0 : parts.startTimeOf(this.leaderPid);
  }

  facts(): HeldFacts {
    const { sessionId, epoch } = this.parts.spec;
    return { sessionId, epoch, pid: this.pty.pid, startTime: this.leaderStartTime, state: this.pty.pid === 0 ? 'exited' : 'running' };
  }

  get startedAs(): { readonly pid: number; readonly startTime: number } {
    return { pid: this.leaderPid, startTime: this.leaderStartTime };
  }

  /** Facts as of now; the output from `offset` on follows on the same connection. */
  attach(peer: Peer): HolderAttached {
    this.output.flush();
    const { journal } = this.parts;
    const attached = { ...this.facts(), ...this.size, offset: journal.durableOffset, recordingStopped: journal.isStopped };
    if (!this.clients.has(peer)) {
      const client = new SessionClient(peer, () => ({ offset: journal.durableOffset, chunks: journal.pendingChunks() }));
      this.clients.set(peer, client);
      queueMicrotask(() => {
        client.sendPending();
        if (this.exitRecord) client.sendEvent({ event: 'exited', record: this.exitRecord });
      });
    }
    return attached;
  }

  leave(peer: Peer): void {
    this.clients.delete(peer);
  }

  write(write: InputWrite): { readonly accepted: number; readonly duplicate: boolean } {
    return this.input.accept(write);
  }

  lastSequence(viewerId: string): number {
    return this.input.lastSequence(viewerId);
  }

  resize(cols: number, rows: number): { readonly offset: number; readonly changed: boolean } {
    if (!isSide(cols) || !isSide(rows)) throw new ServiceError('request.invalid', `a terminal of ${cols} by ${rows} cells is out of range`);
    const offset = this.output.endOffset;
    if (this.pty.isEnded || (cols === this.size.cols && rows === this.size.rows)) return { offset, changed: false };
    this.output.flush();
    this.pty.resize(cols, rows);
    this.size = { cols, rows };
    this.parts.journal.record({ type: 'resize', offset, atMs: Date.now(), cols, rows });
    this.broadcast({ event: 'resized', offset, cols, rows });
    return { offset, changed: true };
  }

  /** Signals the leader's process group; false once the leader ended, since its number may be anybody's. */
  kill(signal: string): boolean {
    const known = Object.hasOwn(osConstants.signals, signal);
    if (!known) throw new ServiceError('request.invalid', `"${signal}" is no signal`);
    const { pid } = this.pty;
    if (pid === 0) return false;
    // A child that was forked a moment ago leads no group yet.
    return trySignal(-pid, signal) || trySignal(pid, signal);
  }

  /** Stops reading for up to `forMs`; 0 ends the hold. The session goes on by itself when nobody renews it. */
  hold(forMs: number): void {
    clearTimeout(this.holdTimer);
    this.holdTimer = undefined;
    if (forMs > 0) this.holdTimer = setTimeout(() => this.hold(0), Math.min(forMs, MAX_HOLD_MS));
    this.applyPause();
  }

  exit(): ExitRecord | undefined {
    return this.exitRecord;
  }

  /** The disk took or lost bytes up to `offset`. */
  durable(offset: number): void {
    for (const client of this.clients.values()) client.sendDurable(offset);
    this.applyPause();
  }

  recordingChanged(stopped: boolean, offset: number): void {
    this.broadcast({ event: 'recording', stopped, offset });
    this.applyPause();
  }

  private publish(chunk: OutputChunk): void {
    chunk.slab.retain();
    this.parts.journal.append(chunk.bytes, () => chunk.slab.release());
    for (const client of this.clients.values()) client.sendOutput(chunk);
    this.applyPause();
  }

  private applyPause(): void {
    const { journal } = this.parts;
    const limit = this.pausedForDisk ? RESUME_AT_PENDING_BYTES : PAUSE_AT_PENDING_BYTES;
    this.pausedForDisk = journal.pendingBytes > limit && !journal.isRefused && !journal.isStopped;
    if (this.pausedForDisk || this.holdTimer) this.pty.pause();
    else this.pty.resume();
  }

  private async recordExit(exit: PtyExit): Promise<void> {
    this.output.flush();
    this.input.close();
    const { journal, spec, saveExit } = this.parts;
    const offset = this.output.endOffset;
    const numbers = 'code' in exit ? { code: exit.code, signal: 0 } : { code: 0, signal: signalNumber(exit.signal) };
    journal.record({ type: 'exit', offset, atMs: Date.now(), ...numbers });
    const record = { sessionId: spec.sessionId, epoch: spec.epoch, exit, endedAt: new Date().toISOString(), offset };
    await journal.flushed();
    await saveExit(record);
    this.exitRecord = record;
    this.broadcast({ event: 'exited', record });
  }

  private async finish(): Promise<void> {
    this.output.end();
    clearTimeout(this.holdTimer);
    const offset = this.output.endOffset;
    await this.exiting;
    await this.parts.journal.flushed();
    for (const client of this.clients.values()) client.finish();
    this.broadcast({ event: 'ended', offset });
    await this.parts.journal.close();
    for (const peer of this.clients.keys()) peer.channel.socket.end();
    this.parts.onOver();
  }

  private broadcast(event: HolderEvent): void {
    for (const client of this.clients.values()) client.sendEvent(event);
  }
}

function isSide(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= MAX_TERMINAL_SIDE;
}

function trySignal(pid: number, signal: string): boolean {
  try {
    return process.kill(pid, signal as NodeJS.Signals);
  } catch {
    return false;
  }
}

function signalNumber(signal: string): number {
  const numbers: Readonly<Record<string, number>> = osConstants.signals;
  return numbers[signal] ?? (Number(/\d+$/.exec(signal)?.[0]) || 0);
}
