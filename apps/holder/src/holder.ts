/** The holder: some sessions, one control socket, one socket a session, and the end when nobody needs it. */
import { HOLDER_FEATURES, type HolderHelloFacts, type JsonObject, type SpawnSpec, type Spawned } from '@holdfast/attach-protocol';
import { ServiceError } from '@holdfast/kernel';
import { bootId, processIdentity, type RuntimeLayout, type StateLayout } from '@holdfast/platform-session-store';
import type { Socket } from 'node:net';
import { ListeningSocket } from './protocol/listening-socket.js';
import { Peer, type HelloFacts } from './protocol/peer.js';
import { TermGuard } from './protocol/term-guard.js';
import type { NativePty } from './pty/native-pty.js';
import type { HeldSession } from './session/held-session.js';
import { SlabPool } from './session/output-gatherer.js';
import { spawnSession } from './session/spawn-session.js';
import { sessionPeer } from './session/session-peer.js';

/** How often the sockets' paths are looked after. */
const UPKEEP_MS = 1_000;
/** A holder without sessions and without a supervisor ends after this. */
export const IDLE_EXIT_MS = 30_000;

export interface HolderOptions {
  readonly holderId: string;
  readonly nonce: string;
  readonly build: string;
  readonly capacity: number;
  readonly state: StateLayout;
  readonly runtime: RuntimeLayout;
  readonly native: NativePty;
  /** Base of every child's environment. */
  readonly inherited: Readonly<Record<string, string | undefined>>;
  /** Called once, when nothing is held and nobody will come. */
  readonly onUnneeded: () => void;
}

interface Held {
  readonly spawned: Promise<Spawned>;
  session?: HeldSession;
  socket?: ListeningSocket;
}

export class Holder {
  private readonly terms = new TermGuard();
  private readonly slabs = new SlabPool();
  private readonly unsavedExits = new Set<string>();
  /** By session id: one epoch of a session at a time. */
  private readonly held = new Map<string, Held & { readonly epoch: number }>();
  private readonly control: ListeningSocket;
  private upkeep: NodeJS.Timeout | undefined;
  private retired = false;
  private idleSinceMs = performance.now();

  constructor(private readonly options: HolderOptions) {
    this.control = new ListeningSocket(options.runtime.holderSocket(options.holderId), (socket) => this.serveControl(socket));
  }

  async start(): Promise<void> {
    await this.control.listen();
    this.upkeep = setInterval(() => void this.lookAfter(), UPKEEP_MS);
  }

  get liveSessions(): number {
    return this.held.size;
  }

  /** Closes the sockets. Sessions are not touched: this is for a holder without any, and for tests. */
  close(): void {
    clearInterval(this.upkeep);
    this.control.close();
    for (const { socket } of this.held.values()) socket?.close();
  }

  private serveControl(socket: Socket): void {
    const peer = new Peer(socket, this.terms, this.hello(), {
      request: (verb, args) => this.answerControl(verb, args),
      write: () => {
        throw new ServiceError('protocol.unknown-verb', 'a control socket takes no input');
      },
      closed: () => this.noteActivity(),
    });
    void peer;
  }

  private answerControl(verb: string, args: JsonObject): JsonObject | Promise<JsonObject> {
    switch (verb) {
      case 'list':
        return { sessions: [...this.held.values()].flatMap(({ session }) => (session ? [session.facts()] : [])) };
      case 'spawn':
        return this.spawn(args['spec'] as SpawnSpec).then((spawned) => ({ ...spawned }));
      case 'retire':
        this.retired = true;
        if (this.held.size === 0) setImmediate(() => this.endIfUnneeded());
        return { live: this.held.size };
      default:
        throw new ServiceError('protocol.unknown-verb', `a holder knows no verb "${verb}"`);
    }
  }

  /** Repeating a spawn answers as the first time. */
  private async spawn(spec: SpawnSpec): Promise<Spawned> {
    const known = this.held.get(spec.sessionId);
    if (known?.epoch === spec.epoch) return known.spawned;
    if (known) throw new ServiceError('session.conflict', `epoch ${known.epoch} of session ${spec.sessionId} is held here`);
    if (this.retired || this.held.size >= this.options.capacity) {
      throw new ServiceError('holder.full', `this holder takes ${this.options.capacity} sessions`, {
        detail: { capacity: this.options.capacity },
      });
    }
    const held: Held & { epoch: number } = { epoch: spec.epoch, spawned: this.startSession(spec) };
    this.held.set(spec.sessionId, held);
    held.spawned.catch(() => this.held.delete(spec.sessionId));
    return held.spawned;
  }

  private async startSession(spec: SpawnSpec): Promise<Spawned> {
    const { state: layout, native, inherited, runtime } = this.options;
    await Promise.resolve();
    const held = this.held.get(spec.sessionId) as Held;
    const { unsavedExits, slabs } = this;
    const onOver = () => this.forget(spec.sessionId, held);
    const { session, cwd } = await spawnSession(spec, { layout, native, inherited, slabs, onOver, unsavedExits });
    held.session = session;
    held.socket = new ListeningSocket(runtime.sessionSocket(spec.sessionId), (socket) => {
      sessionPeer(socket, { terms: this.terms, hello: this.hello(), session });
    });
    await held.socket.listen();
    return { ...session.startedAs, cwd };
  }

  private forget(sessionId: string, held: Held): void {
    held.socket?.close();
    if (this.held.get(sessionId) === held) this.held.delete(sessionId);
    this.noteActivity();
    this.endIfUnneeded();
  }

  private async lookAfter(): Promise<void> {
    for (const socket of [this.control, ...[...this.held.values()].map((held) => held.socket)]) {
      await socket
        ?.restore()
        .catch((error: unknown) => process.stderr.write(`${JSON.stringify({ level: 'error', message: String(error) })}\n`));
    }
    this.endIfUnneeded();
  }

  private noteActivity(): void {
    this.idleSinceMs = performance.now();
  }

  private endIfUnneeded(): void {
    if (this.held.size > 0 || this.unsavedExits.size > 0) return;
    const abandoned = this.terms.peerCount === 0 && performance.now() - this.idleSinceMs >= IDLE_EXIT_MS;
    if (!this.retired && !abandoned) return;
    this.close();
    this.options.onUnneeded();
  }

  private hello(): HelloFacts {
    const { holderId, nonce, capacity, build } = this.options;
    const startTime = processIdentity(process.pid)?.startTime ?? 0;
    const facts: HolderHelloFacts = { holderId, nonce, capacity, bootId: bootId(), pid: process.pid, startTime, term: this.terms.highest };
    return { build, features: HOLDER_FEATURES, facts: { ...facts } };
  }
}
