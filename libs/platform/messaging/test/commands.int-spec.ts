/** Commands over a real nats-server: answers, typed errors, stale requests, and a broker that goes and comes back. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServiceError } from '@holdfast/kernel';
import { startNatsServer, waitFor, watchForLeaks, type LeakWatch, type NatsServer } from '@holdfast/testing';
import { ClientProxyFactory, Transport } from '@nestjs/microservices';
import { firstValueFrom } from 'rxjs';
import { CommandClient, CommandServer, EventBus } from '../src/index.js';

const root = 'holdfast.v1';
const now = (offsetMs: number) => new Date(Date.now() + offsetMs).toISOString();

describe('commands', () => {
  let leaks: LeakWatch;
  let broker: NatsServer;
  beforeAll(async () => {
    leaks = watchForLeaks();
    broker = await startNatsServer();
  });
  afterAll(async () => {
    await broker[Symbol.asyncDispose]();
    await leaks.expectNone();
  });

  async function open() {
    const bus = EventBus.start({ url: broker.url, name: 'test' });
    await waitFor(() => bus.isConnected, { what: 'connected' });
    return { bus, client: new CommandClient(bus, 'default') };
  }

  function serveTasks(bus: EventBus, tasks: number) {
    return CommandServer.start({
      bus,
      root,
      service: 'task-service',
      handlers: {
        health: () => Promise.resolve({ tasks, outboxPending: 0 }),
        get: ({ taskId }) => Promise.reject(new ServiceError('task.not-found', `no task ${taskId}`, { detail: { taskId } })),
        list: () => Promise.reject(new Error('a secret')),
        answers: () => new Promise(() => undefined),
      },
    });
  }

  it('answers facts, and errors with their code, retry and detail; what is no ServiceError keeps its text at home', async () => {
    const { bus, client } = await open();
    serveTasks(bus, 7);
    expect(await waitFor(() => client.request('task-service', 'health', {}), { what: 'served' })).toEqual({ tasks: 7, outboxPending: 0 });
    await expect(client.request('task-service', 'get', { taskId: 'a' })).rejects.toMatchObject({
      code: 'task.not-found',
      retry: 'never',
      detail: { taskId: 'a' },
    });
    await expect(client.request('task-service', 'list', {})).rejects.toMatchObject({ code: 'internal', message: 'internal error' });
    await expect(client.request('task-service', 'get', { taskId: '../x' })).rejects.toMatchObject({ code: 'request.invalid' });
    await bus.close();
  });

  it('tells nobody there, no answer in time and a broker away apart', async () => {
    const { bus, client } = await open();
    await expect(client.request('reaper', 'status', {})).rejects.toMatchObject({ code: 'service.unreachable', retry: 'safe' });
    serveTasks(bus, 1);
    await waitFor(() => client.request('task-service', 'health', {}), { what: 'served' });
    await expect(client.request('task-service', 'answers', { taskIds: [], sessionIds: [] }, { deadlineMs: 50 })).rejects.toMatchObject({
      code: 'deadline.exceeded',
      retry: 'unknown',
    });
    const lost = client.request('task-service', 'answers', { taskIds: [], sessionIds: [] });
    void lost.catch(() => undefined);
    await broker.stop();
    await expect(lost).rejects.toMatchObject({ code: 'link.closed', retry: 'unknown' });
    await waitFor(() => !bus.isConnected, { what: 'disconnected' });
    await expect(client.request('task-service', 'health', {})).rejects.toMatchObject({ code: 'service.unreachable', retry: 'safe' });
    await broker.restart();
    expect(await waitFor(() => client.request('task-service', 'health', {}), { what: 'served again' })).toEqual({
      tasks: 1,
      outboxPending: 0,
    });
    await bus.close();
  });

  it('starts while the broker is away and serves once it is there', async () => {
    await broker.stop();
    const bus = EventBus.start({ url: broker.url, name: 'test' });
    serveTasks(bus, 3);
    const client = new CommandClient(bus, 'default');
    await broker.restart();
    expect(await waitFor(() => client.request('task-service', 'health', {}), { what: 'served' })).toEqual({ tasks: 3, outboxPending: 0 });
    await bus.close();
  });

  it('refuses a command that comes after its sender gave it up', async () => {
    const { bus, client } = await open();
    const killed: string[] = [];
    CommandServer.start({
      bus,
      root,
      service: 'session-supervisor',
      hostId: 'h1',
      handlers: {
        reap: ({ sessionId }) => {
          killed.push(sessionId);
          return Promise.resolve({ killed: true });
        },
      },
    });
    const reap = (sessionId: string, notAfter: string) =>
      client.request('session-supervisor', 'reap', { sessionId, epoch: 1, notAfter, class: 'unowned', evidence: {} }, { hostId: 'h1' });
    await waitFor(() => reap('timely', now(60_000)), { what: 'served' });
    await expect(reap('late', now(-1))).rejects.toMatchObject({ code: 'command.stale', retry: 'never' });
    await expect(client.request('session-supervisor', 'get', { sessionId: 'a' }, { hostId: 'h2' })).rejects.toMatchObject({
      code: 'service.unreachable',
    });
    expect(new Set(killed)).toEqual(new Set(['timely']));
    await bus.close();
  });

  it('lets one of two equal services answer each request', async () => {
    const { bus, client } = await open();
    const answered: number[] = [];
    for (const n of [1, 2]) {
      CommandServer.start({
        bus,
        root,
        service: 'task-service',
        handlers: {
          health: () => {
            answered.push(n);
            return Promise.resolve({ tasks: n, outboxPending: 0 });
          },
        },
      });
    }
    await waitFor(() => client.request('task-service', 'health', {}), { what: 'served' });
    const before = answered.length;
    for (let n = 0; n < 20; n += 1) await client.request('task-service', 'health', {});
    expect(answered.length - before).toBe(20);
    await bus.close();
  });

  it('speaks the wire format of Nest, and answers what it cannot read', async () => {
    const { bus } = await open();
    serveTasks(bus, 5);
    const proxy = ClientProxyFactory.create({ transport: Transport.NATS, options: broker.login });
    await proxy.connect();
    const ask = () => firstValueFrom(proxy.send<unknown>(`${root}.cmd.task-service.health`, {}));
    expect(await waitFor(ask, { what: 'served' })).toEqual({ ok: true, tasks: 5, outboxPending: 0 });
    await proxy.close();
    const reply = await bus.current?.request(`${root}.cmd.task-service.health`, 'no json');
    expect(reply?.json()).toMatchObject({ response: { ok: false, error: { code: 'request.invalid' } } });
    await bus.close();
  });
});
