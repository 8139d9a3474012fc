/** The real gateway on a free port, against the in-test supervisor, with clients as anybody would write them. */
import { TERMINAL_NAMESPACE, type Ack, type Attached } from '@holdfast/contracts';
import { loadConfig } from '@holdfast/platform-config';
import { createTempDirectory, waitFor } from '@holdfast/testing';
import { io, type Socket } from 'socket.io-client';
import { startGateway, type Gateway } from '../src/gateway.js';
import { MemorySupervisor } from './memory-supervisor.js';

export const TOKEN = 'a-token-for-tests-of-the-gateway';

export interface GatewayRig extends AsyncDisposable {
  readonly url: string;
  readonly gateway: Gateway;
  readonly supervisor: MemorySupervisor;
  /** With the bearer token, unless the headers say otherwise. */
  request(path: string, init?: RequestInit): Promise<Response>;
  json(path: string, method: string, body: unknown): Promise<Response>;
  socket(options?: { auth?: object; headers?: Record<string, string> }): Socket;
  /** A connected socket that acknowledges what it gets unless told not to. */
  client(): Promise<TerminalClient>;
  isLinkUp(): Promise<boolean>;
}

const silentLogger = { log: () => undefined, warn: () => undefined, error: () => undefined };

export async function startRig(environment: NodeJS.ProcessEnv = {}): Promise<GatewayRig> {
  const directory = await createTempDirectory();
  const supervisor = new MemorySupervisor(directory.path);
  await supervisor.start();
  const gateway = await startGateway(
    loadConfig({
      HOLDFAST_INSTANCE: 'test',
      HOLDFAST_STATE_DIR: directory.path,
      HOLDFAST_RUNTIME_DIR: directory.path,
      HOLDFAST_GATEWAY_PORT: '0',
      HOLDFAST_OPERATOR_TOKEN: TOKEN,
      HOLDFAST_DASHBOARD_DIR: `${directory.path}/dashboard`,
      ...environment,
    }),
    silentLogger,
  );
  const sockets: Socket[] = [];
  const request = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${gateway.url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${TOKEN}`, ...(init.headers as Record<string, string> | undefined) },
    });
  const socket: GatewayRig['socket'] = ({ auth = { token: TOKEN }, headers = {} } = {}) => {
    const opened = io(`${gateway.url}${TERMINAL_NAMESPACE}`, {
      transports: ['websocket'],
      auth,
      extraHeaders: headers,
      forceNew: true,
      reconnection: false,
    });
    sockets.push(opened);
    return opened;
  };
  const isLinkUp = async (): Promise<boolean> =>
    ((await (await request('/v1/health')).json()) as { supervisors: { status: string }[] }).supervisors[0]?.status === 'ok';
  await waitFor(isLinkUp, { what: 'the link is up' });
  return {
    url: gateway.url,
    gateway,
    supervisor,
    request,
    socket,
    isLinkUp,
    json: (path, method, body) => request(path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    async client() {
      const client = new TerminalClient(socket());
      await waitFor(() => client.socket.connected, { what: 'the socket is connected' });
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const opened of sockets) opened.disconnect();
      await gateway.close();
      await supervisor.stop();
      await directory[Symbol.asyncDispose]();
    },
  };
}

export interface Viewed {
  readonly attached: Attached;
  /** Everything got since the attach, in the order it came; output as text for small cases. */
  readonly told: (readonly [name: string, facts: unknown])[];
  readonly parts: Buffer[];
  /** Offset after the last byte got. */
  offset(): number;
  bytes(): Buffer;
}

export class TerminalClient {
  /** False: gets, and never acknowledges. */
  acknowledges = true;
  private readonly viewed = new Map<string, { at: number; parts: Buffer[]; told: [string, unknown][] }>();

  constructor(readonly socket: Socket) {
    socket.on('output', (attachId: string, offset: number, bytes: Uint8Array) => this.take(attachId, offset, Buffer.from(bytes)));
    for (const name of ['resized', 'exit', 'detached'] as const) {
      socket.on(name, ({ attachId, ...facts }: { attachId: string }) => this.entry(attachId).told.push([name, facts]));
    }
  }

  ask<Facts extends object = object>(event: string, ...args: unknown[]): Promise<Ack<Facts>> {
    return this.socket.timeout(10_000).emitWithAck(event, ...args) as Promise<Ack<Facts>>;
  }

  async attach(request: object): Promise<Viewed> {
    const ack = await this.ask<Attached>('attach', request);
    if (!ack.ok) throw new Error(`${ack.code}: ${ack.detail}`);
    const entry = this.entry(ack.attachId);
    entry.at = ack.offset + entry.parts.reduce((sum, part) => sum + part.length, 0);
    return { attached: ack, told: entry.told, parts: entry.parts, offset: () => entry.at, bytes: () => Buffer.concat(entry.parts) };
  }

  private entry(attachId: string): { at: number; parts: Buffer[]; told: [string, unknown][] } {
    const known = this.viewed.get(attachId) ?? { at: -1, parts: [], told: [] };
    this.viewed.set(attachId, known);
    return known;
  }

  private take(attachId: string, offset: number, bytes: Buffer): void {
    const entry = this.entry(attachId);
    if (entry.at !== -1 && offset !== entry.at) entry.told.push(['jump', { from: entry.at, to: offset }]);
    entry.at = offset + bytes.length;
    entry.parts.push(bytes);
    entry.told.push(['output', bytes.length > 100 ? bytes.length : bytes.toString('latin1')]);
    if (this.acknowledges) this.socket.emit('ack', attachId, entry.at);
  }
}

export async function problem(
  response: Response,
): Promise<{ status: number; type: string | null; code: string; [member: string]: unknown }> {
  const body = (await response.json()) as { status: number; code: string };
  return { ...body, status: response.status, type: response.headers.get('content-type') };
}
