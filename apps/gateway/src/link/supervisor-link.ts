/** The link to the supervisor of this machine: connected for ever, again and again, and typed by verb. */
import type { Answer, JsonObject } from '@holdfast/attach-protocol';
import { LINK_SOCKET_NAME, type LinkVerb, type LinkVerbs, type ReadFacts } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import { join } from 'node:path';
import { LinkConnection, type LinkHost } from './link-connection.js';
import { waitForSocket } from './socket-arrival.js';

const FIRST_PAUSE_MS = 50;
/** Longest pause between two attempts: with H2's 2 s for a restart there is room for several. */
const MAX_PAUSE_MS = 500;
/** A healthy supervisor answers in milliseconds; one that does not for this long is as good as away. */
export const LINK_DEADLINE_MS = 5_000;
/** sun_path is 108 bytes with its NUL; Node cuts a longer path silently. */
const MAX_SOCKET_PATH_BYTES = 107;

/** Verbs that may be sent again whatever became of them: their lost answers count as "not reached". */
const REPEATABLE: ReadonlySet<LinkVerb> = new Set(['list', 'get', 'read', 'follow', 'unfollow', 'attach', 'detach', 'resize']);

/** Verbs whose answers are JSON facts alone. */
export type FactVerb = Exclude<LinkVerb, 'read' | 'write' | 'follow'>;

export interface LinkWatcher {
  /** A new connection: nothing of the one before lives on. */
  linkUp(): void;
  linkDown(): void;
}

/** Every request has a deadline and fails with `host.unreachable` (retry `safe`) at once while the supervisor is away. */
export class SupervisorLink {
  private readonly socketPath: string;
  private readonly closing = new AbortController();
  private readonly watchers: LinkWatcher[] = [];
  private current: LinkConnection | undefined;
  private running: Promise<void> = Promise.resolve();

  /** @throws ServiceError `config.socket-path-too-long`. */
  constructor(runtimeDir: string) {
    this.socketPath = join(runtimeDir, LINK_SOCKET_NAME);
    const bytes = Buffer.byteLength(this.socketPath);
    if (bytes <= MAX_SOCKET_PATH_BYTES) return;
    throw new ServiceError(
      'config.socket-path-too-long',
      `the supervisor's socket path has ${bytes} bytes, the kernel takes ${MAX_SOCKET_PATH_BYTES}; choose a shorter HOLDFAST_RUNTIME_DIR`,
      {
        detail: { bytes, maxBytes: MAX_SOCKET_PATH_BYTES },
      },
    );
  }

  /** The supervisor at the other end; undefined while it is away. */
  get host(): LinkHost | undefined {
    return this.current?.host;
  }

  watch(watcher: LinkWatcher): void {
    this.watchers.push(watcher);
  }

  onModuleInit(): void {
    this.running = this.run();
  }

  async onModuleDestroy(): Promise<void> {
    this.closing.abort();
    this.current?.close();
    await this.running;
  }

  async request<Verb extends FactVerb>(verb: Verb, args: LinkVerbs[Verb][0], deadlineMs = LINK_DEADLINE_MS): Promise<LinkVerbs[Verb][1]> {
    const { head } = await this.ask(verb, (connection) => connection.request(verb, args as unknown as JsonObject, deadlineMs));
    return head as unknown as LinkVerbs[Verb][1];
  }

  async read(args: LinkVerbs['read'][0]): Promise<{ facts: ReadFacts; bytes: Uint8Array }> {
    const { head, bytes } = await this.ask('read', (connection) => connection.request('read', args, LINK_DEADLINE_MS));
    return { facts: head as unknown as ReadFacts, bytes: bytes ?? new Uint8Array(0) };
  }

  /** Input without a viewer. Not repeatable: a lost answer is `link.closed` or `deadline.exceeded`, retry `unknown`. */
  async write(args: LinkVerbs['write'][0], bytes: Uint8Array): Promise<LinkVerbs['write'][1]> {
    const { head } = await this.ask('write', (connection) => connection.requestWithBytes('write', args, bytes, LINK_DEADLINE_MS));
    return head as unknown as LinkVerbs['write'][1];
  }

  /** Input of a viewer, leaving in the order of the calls. Its sequence makes it repeatable. */
  async writeInput(input: { viewer: number; viewerId: string; seq: number; bytes: Uint8Array }): Promise<void> {
    await this.ask('attach', (connection) => connection.writeInput(input, LINK_DEADLINE_MS));
  }

  async follow(args: LinkVerbs['follow'][0], begin: Parameters<LinkConnection['follow']>[2]): Promise<void> {
    await this.ask('follow', (connection) => connection.follow(args, LINK_DEADLINE_MS, begin));
  }

  private async ask<Result extends Answer | void>(verb: LinkVerb, send: (connection: LinkConnection) => Promise<Result>): Promise<Result> {
    if (this.current === undefined) throw unreachable('the supervisor of this machine is away');
    try {
      return await send(this.current);
    } catch (error) {
      throw REPEATABLE.has(verb) && isLostAnswer(error) ? unreachable(`${verb}: no answer from the supervisor`, error) : error;
    }
  }

  private async run(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (!this.closing.signal.aborted) {
      const connection = await LinkConnection.open(this.socketPath).catch(() => undefined);
      if (connection !== undefined) {
        pauseMs = FIRST_PAUSE_MS;
        await this.serve(connection);
      }
      await waitForSocket(this.socketPath, pauseMs, this.closing.signal);
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    }
  }

  private async serve(connection: LinkConnection): Promise<void> {
    if (this.closing.signal.aborted) connection.close();
    this.current = connection;
    for (const watcher of this.watchers) watcher.linkUp();
    await connection.ended;
    this.current = undefined;
    for (const watcher of this.watchers) watcher.linkDown();
  }
}

function isLostAnswer(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'link.closed' || error.code === 'deadline.exceeded');
}

function unreachable(message: string, cause?: unknown): ServiceError {
  return new ServiceError('host.unreachable', message, { cause });
}
