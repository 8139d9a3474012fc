/** The bus against a real nats-server that comes, goes and comes back. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startNatsServer, waitFor, watchForLeaks, type LeakWatch, type NatsServer } from '@holdfast/testing';
import { connect } from '@nats-io/transport-node';
import { EventBus, cloudEvent } from '../src/index.js';

describe('EventBus', () => {
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

  it('publishes CloudEvents, says offline while the broker is away, and goes on when it is back', async () => {
    await broker.stop();
    const bus = EventBus.start({ url: broker.url, name: 'test' });
    const event = cloudEvent({ type: 'holdfast.test', source: '/test', data: { n: 1 } });
    expect(bus.publish('holdfast.v1.test', event)).toBe('offline');

    await broker.restart();
    await waitFor(() => bus.isConnected, { what: 'connected' });
    const follower = await connect(broker.login);
    const subscription = follower.subscribe('holdfast.v1.test', { max: 1 });
    await follower.flush();
    expect(bus.publish('holdfast.v1.test', event)).toBe('sent');
    const received = [];
    for await (const message of subscription) received.push(message.json());
    expect(received).toEqual([event]);

    await follower.close();
    await bus.close();
  });

  it('closes at once while the broker is away', async () => {
    const bus = EventBus.start({ url: 'nats://127.0.0.1:1', name: 'test' });
    await bus.close();
    expect(bus.isConnected).toBe(false);
  });
});
