/** The streaming client against a real socket.io server that is broken in every way a gateway can be. */
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ExitView } from '@holdfast/contracts';
import type { ServiceError } from '@holdfast/kernel';
import {
  TerminalClient,
  type AttachmentStatus,
  type AttachOptions,
  type StreamStart,
  type TerminalAttachment,
  type TerminalHandlers,
} from '../src/index.js';
import { ContractServer } from './contract-server.js';

const encode = (text: string) => new TextEncoder().encode(text);
const pattern = (length: number) => Buffer.from(Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) % 256));

async function until(fact: () => boolean, what: string, withinMs = 10_000): Promise<void> {
  for (const end = performance.now() + withinMs; !fact(); await new Promise((resolve) => setTimeout(resolve, 5))) {
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
  }
}

/** Everything one viewer was told. */
class Heard {
  readonly parts: Buffer[] = [];
  readonly starts: StreamStart[] = [];
  readonly sizes: string[] = [];
  readonly exits: ExitView[] = [];
  readonly statuses: AttachmentStatus[] = [];
  readonly detached: ServiceError[] = [];
  length = 0;
  /** Set to slow this viewer down. */
  consume: () => Promise<void> | undefined = () => undefined;

  get bytes(): Buffer {
    return Buffer.concat(this.parts);
  }

  readonly handlers: TerminalHandlers = {
    onOutput: (bytes) => {
      this.parts.push(Buffer.from(bytes));
      this.length += bytes.length;
      return this.consume();
    },
    onStart: (start) => void this.starts.push(start),
    onResized: ({ cols, rows }, offset) => void this.sizes.push(`${cols}x${rows}@${offset}`),
    onExit: (exit) => void this.exits.push(exit),
    onStatus: (status) => void this.statuses.push(status),
    onDetached: (error) => void this.detached.push(error),
  };
}

interface Rig {
  readonly server: ContractServer;
  readonly heard: Heard;
  readonly terminal: TerminalAttachment;
}

const disposals: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
});

async function startServer(): Promise<ContractServer> {
  const server = await ContractServer.start();
  disposals.push(() => server[Symbol.asyncDispose]());
  return server;
}

async function open(options: Partial<AttachOptions> = {}, prepare: (server: ContractServer) => void = () => undefined): Promise<Rig> {
  const server = await startServer();
  prepare(server);
  const client = new TerminalClient({ baseUrl: server.url, token: 'good' });
  disposals.push(() => client.close());
  const heard = new Heard();
  const terminal = await client.attach({ sessionId: 'one', mode: 'write', ...options }, heard.handlers);
  return { server, heard, terminal };
}

describe('the output of an attachment', () => {
  it('is exact from the first byte to the exit, which comes last', async () => {
    const whole = pattern(300_000);
    const { server, heard } = await open({}, ({ session }) => (session.journal = whole.subarray(0, 200_000)));
    server.write(whole.subarray(200_000));
    server.end({ code: 3 });
    await until(() => heard.exits.length > 0, 'the exit');
    expect(heard.bytes.equals(whole)).toBe(true);
    expect(heard.exits).toEqual([{ code: 3 }]);
    expect(heard.starts).toEqual([{ epoch: 1, offset: 0, cols: 80, rows: 24, state: 'running', approximate: false }]);
  });

  it('loses and repeats nothing when the connection is cut again and again mid-stream', async () => {
    const cuts = 8;
    const share = 600_000;
    const whole = pattern(cuts * share);
    const { server, heard, terminal } = await open();
    heard.consume = () => new Promise((resolve) => setImmediate(resolve));
    for (let cut = 0; cut < cuts; cut += 1) {
      const before = heard.length;
      server.write(whole.subarray(cut * share, (cut + 1) * share));
      await until(() => heard.length > before, 'the stream to flow');
      server.breakConnections();
      await until(() => terminal.status === 'reconnecting', 'the break');
      await until(() => terminal.status === 'live', 'the connection to be back');
    }
    server.end({ signal: 'SIGTERM' });
    await until(() => heard.exits.length > 0, 'the exit');
    expect(heard.bytes.equals(whole)).toBe(true);
    expect({ starts: heard.starts.length, breaks: heard.statuses.filter((status) => status === 'reconnecting').length }).toEqual({
      starts: 1,
      breaks: cuts,
    });
  });

  it('stops at the window while the consumer is busy, and goes on with it', async () => {
    const whole = pattern(2_000_000);
    const { server, heard, terminal } = await open();
    let release: () => void = () => undefined;
    heard.consume = () => new Promise((resolve) => (release = resolve));
    server.write(whole);
    await until(() => server.session.mostOutstanding >= 500_000, 'a full window');
    // Its answer comes behind everything that was sent before.
    await terminal.write(encode('x'));
    expect({ given: heard.parts.length, outstanding: server.session.mostOutstanding <= 512 * 1024 }).toEqual({
      given: 1,
      outstanding: true,
    });
    heard.consume = () => undefined;
    release();
    await until(() => heard.length === whole.length, 'all bytes');
    expect(heard.bytes.equals(whole)).toBe(true);
  });

  it('acknowledges every 64 KiB, and the remainder once idle', async () => {
    const { server, heard } = await open();
    server.write(pattern(200_000));
    await until(() => server.acknowledgements.at(-1) === 200_000, 'the last acknowledgement');
    const steps = server.acknowledgements.map((offset, index, all) => offset - (all[index - 1] ?? 0));
    expect({ length: heard.length, large: steps.every((step) => step < 2 * 64 * 1024) }).toEqual({ length: 200_000, large: true });
  });

  it('is asked for again when bytes are missing in between', async () => {
    const whole = pattern(1000);
    const { server, heard } = await open();
    server.write(whole.subarray(0, 100));
    await until(() => heard.length === 100, 'the first bytes');
    server.session.journal = whole.subarray(0, 200);
    server.skip(100);
    server.write(whole.subarray(200));
    await until(() => heard.length === 1000, 'all bytes');
    expect({ exact: heard.bytes.equals(whole), again: server.attaches.at(-1) }).toEqual({
      exact: true,
      again: { sessionId: 'one', mode: 'write', epoch: 1, from: 100, viewerId: 'viewer-1' },
    });
  });

  it('attaches again by itself when it was too slow', async () => {
    const { server, heard, terminal } = await open();
    server.write(encode('before'));
    await until(() => heard.length === 6, 'the first bytes');
    server.detachAll('viewer.slow');
    server.write(encode(' after'));
    await until(() => heard.length === 12, 'the rest');
    expect({ text: heard.bytes.toString(), status: terminal.status, detached: heard.detached }).toEqual({
      text: 'before after',
      status: 'live',
      detached: [],
    });
  });

  it('starts anew from a snapshot when what it missed is gone', async () => {
    const { server, heard } = await open();
    server.write(encode('before'));
    await until(() => heard.length === 6, 'the first bytes');
    server.breakConnections();
    server.session.journal = pattern(5000);
    server.session.prunedBefore = 4000;
    await until(() => heard.starts.length === 2, 'a second start');
    expect({ ...heard.starts[1], snapshot: Buffer.from(heard.starts[1]?.snapshot ?? []).toString() }).toEqual({
      epoch: 1,
      offset: 5000,
      cols: 80,
      rows: 24,
      state: 'running',
      approximate: false,
      snapshot: 'SNAPSHOT',
    });
  });

  it('tells resizes in their place, and once what changed while away', async () => {
    const { server, heard, terminal } = await open();
    server.write(encode('abc'));
    server.resize(100, 30);
    server.resize(100, 30);
    await until(() => heard.sizes.length === 1, 'a resize');
    server.breakConnections();
    server.session.size = { cols: 120, rows: 40 };
    await until(() => heard.sizes.length === 2, 'the resize that was missed');
    await terminal.resize(90, 20);
    await until(() => heard.sizes.length === 3, 'the resize asked for');
    expect({ sizes: heard.sizes, asked: server.resizes }).toEqual({
      sizes: ['100x30@3', '120x40@3', '90x20@3'],
      asked: [{ cols: 90, rows: 20 }],
    });
  });
});

describe('the input of an attachment', () => {
  it('arrives once and in order when connections break with answers on the way', async () => {
    const { server, terminal } = await open();
    server.inputFaults.push('lost');
    const words = Array.from({ length: 200 }, (_, index) => `word-${index} `);
    const writes = words.map((word) => terminal.write(encode(word)));
    await new Promise((resolve) => setTimeout(resolve, 20));
    server.breakConnections();
    await Promise.all(writes);
    expect(server.session.typed).toEqual(words);
  });

  it('typed while away is sent once back', async () => {
    const { server, heard, terminal } = await open();
    server.attachFaults.push('host.unreachable', 'host.unreachable');
    server.breakConnections();
    await until(() => heard.statuses.includes('reconnecting'), 'the break');
    await Promise.all([terminal.write(encode('a')), terminal.write(encode('b'))]);
    expect(server.session.typed).toEqual(['a', 'b']);
  });

  it('is refused for readers, too large writes and ended viewers', async () => {
    const { terminal } = await open();
    await expect(terminal.write(new Uint8Array(1024 * 1024 + 1))).rejects.toMatchObject({ code: 'request.too-large' });
    await terminal.detach();
    await expect(terminal.write(encode('a'))).rejects.toMatchObject({ code: 'stream.not-attached' });
    const { terminal: reader } = await open({ mode: 'read' });
    await expect(reader.write(encode('a'))).rejects.toMatchObject({ code: 'viewer.read-only' });
  });
});

describe('the life of an attachment', () => {
  it('ends, with the reason, when it can never be attached again', async () => {
    const { server, heard, terminal } = await open();
    server.attachFaults.push('session.stale-handle');
    server.breakConnections();
    await until(() => heard.detached.length === 1, 'the end');
    expect({ code: heard.detached[0]?.code, status: terminal.status, statuses: heard.statuses }).toEqual({
      code: 'session.stale-handle',
      status: 'detached',
      statuses: ['live', 'reconnecting', 'detached'],
    });
  });

  it('does not start when the first attach is refused', async () => {
    await expect(open({}, (server) => server.attachFaults.push('session.not-found'))).rejects.toMatchObject({
      code: 'session.not-found',
      retry: 'never',
    });
  });

  it('survives a gateway that is away for a while and comes back on its port', async () => {
    const { server, heard, terminal } = await open();
    server.write(encode('before'));
    await until(() => heard.length === 6, 'the first bytes');
    const port = Number(new URL(server.url).port);
    await server[Symbol.asyncDispose]();
    await until(() => terminal.status === 'reconnecting', 'the break');
    const next = await ContractServer.start(port);
    disposals.push(() => next[Symbol.asyncDispose]());
    next.session.journal = Buffer.from('before after');
    await until(() => heard.length === 12, 'the rest');
    expect(heard.bytes.toString()).toBe('before after');
  });

  it('refuses wrong credentials with their own error, and an absent gateway with another', async () => {
    const server = await startServer();
    const wrong = new TerminalClient({ baseUrl: server.url, token: 'bad' });
    disposals.push(() => wrong.close());
    await expect(wrong.connect()).rejects.toMatchObject({ code: 'auth.invalid' });
    const { url } = server;
    await server[Symbol.asyncDispose]();
    const absent = new TerminalClient({ baseUrl: url, token: 'good' });
    const connecting = absent.connect();
    setTimeout(() => absent.close(), 300);
    await expect(connecting).rejects.toMatchObject({ code: 'stream.not-attached' });
  });
});
