/** Sessions as REST sees them, asked of the supervisor. */
import { DEFAULT_OUTPUT_BYTES, MAX_LINK_READ_BYTES, type CreateSession, type KillReport, type Session } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import type { Principal } from '../access/principal.js';
import { LINK_DEADLINE_MS, type SupervisorLink } from '../link/supervisor-link.js';

/** A first spawn may start a holder. */
const CREATE_DEADLINE_MS = 20_000;
/** What a kill takes at most beyond its grace: volleys, and looking again between them. */
const KILL_MARGIN_MS = 20_000;
/** A kill's grace when none is given. */
const DEFAULT_GRACE_MS = 10_000;

/** A session, and the epoch the caller means: another one is `session.stale-handle`. */
export interface Handle {
  readonly sessionId: string;
  readonly epoch?: number;
}

export interface OutputRange extends Handle {
  /** The epoch the caller takes for the newest. Differs from `epoch`, which names the output to read. */
  readonly expectedEpoch?: number;
  readonly from?: number;
  readonly limit?: number;
}

export interface Output {
  readonly epoch: number;
  readonly offset: number;
  readonly nextOffset: number;
  readonly bytes: Uint8Array;
}

export class SessionsService {
  constructor(private readonly link: SupervisorLink) {}

  /** `created` is false when the same session was there already. */
  create(spec: CreateSession, asker: Principal): Promise<{ session: Session; created: boolean }> {
    return this.link.request('create', { spec: { ...spec, owner: spec.owner ?? `operator:${asker.name}` } }, CREATE_DEADLINE_MS);
  }

  async list(): Promise<Session[]> {
    return (await this.link.request('list', {})).sessions;
  }

  async get({ sessionId, epoch }: Handle): Promise<Session> {
    const { session } = await this.link.request('get', { sessionId });
    if (epoch === undefined || epoch === session.epoch) return session;
    throw new ServiceError('session.stale-handle', `session "${sessionId}" is at epoch ${session.epoch}, not ${epoch}`, {
      detail: { epoch: session.epoch },
    });
  }

  /** Up to `limit` bytes in one piece. Stops early, without an error, where reading on fails. */
  async output({ expectedEpoch, from, limit = DEFAULT_OUTPUT_BYTES, ...handle }: OutputRange): Promise<Output> {
    if (expectedEpoch !== undefined) await this.get({ sessionId: handle.sessionId, epoch: expectedEpoch });
    const first = await this.link.read({ ...handle, ...(from === undefined ? {} : { from }), limit: Math.min(limit, MAX_LINK_READ_BYTES) });
    const { epoch, offset } = first.facts;
    const parts = [first.bytes];
    let nextOffset = offset + first.bytes.length;
    while (nextOffset - offset < limit) {
      const more = await this.readOn({ sessionId: handle.sessionId, epoch, from: nextOffset, limit: limit - (nextOffset - offset) });
      if (more.length === 0) break;
      parts.push(more);
      nextOffset += more.length;
    }
    return { epoch, offset, nextOffset, bytes: parts.length === 1 ? first.bytes : Buffer.concat(parts) };
  }

  async input({ sessionId, epoch }: Handle, bytes: Uint8Array): Promise<{ accepted: number }> {
    const { accepted } = await this.link.write({ sessionId, ...(epoch === undefined ? {} : { epoch }) }, bytes);
    return { accepted };
  }

  async resize(handle: Handle, size: { cols: number; rows: number }): Promise<{ offset: number }> {
    const { offset } = await this.link.request('resize', { ...handle, ...size });
    return { offset };
  }

  async kill(handle: Handle, options: { graceMs?: number | undefined; purge: boolean }): Promise<KillReport> {
    const { graceMs = DEFAULT_GRACE_MS, purge } = options;
    const { report } = await this.link.request('kill', { ...handle, graceMs, purge }, graceMs + Math.max(KILL_MARGIN_MS, LINK_DEADLINE_MS));
    return report;
  }

  private async readOn(range: { sessionId: string; epoch: number; from: number; limit: number }): Promise<Uint8Array> {
    try {
      const { bytes } = await this.link.read({ ...range, limit: Math.min(range.limit, MAX_LINK_READ_BYTES) });
      return bytes;
    } catch (error) {
      if (error instanceof ServiceError) return new Uint8Array(0);
      throw error;
    }
  }
}
