/** Buckets over a real broker: what watchers hear, also late ones and across a restart. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startNatsServer, waitFor, watchForLeaks, type LeakWatch, type NatsServer } from '@holdfast/testing';
import { Bucket, EventBus, InstanceStreams } from '../src/index.js';

function watched(bucket: Bucket) {
  const seen = { entries: new Map<string, unknown>(), current: 0 };
  const stop = bucket.watch({
    onEntry: (key, value) => (value === undefined ? seen.entries.delete(key) : seen.entries.set(key, value)),
    onCurrent: () => (seen.current += 1),
  });
  return { seen, stop };
}

describe('Bucket', () => {
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

  it('tells the newest value of each key, then changes and removals, and all again after a restart of the broker', async () => {
    const bus = EventBus.start({ url: broker.url, name: 'test' });
    const bucket = new Bucket(InstanceStreams.start({ bus, instance: 'default' }), 'HOSTS');
    const early = watched(bucket);
    await waitFor(() => early.seen.current === 1, { what: 'an empty bucket is current at once' });
    await bucket.put('h1', { term: 1 });
    await bucket.put('h1', { term: 2 });
    await bucket.put('h2', { term: 7 });
    await bucket.remove('h2');
    await waitFor(() => early.seen.entries.size === 1, { what: 'heard' });
    const late = watched(bucket);
    await waitFor(() => late.seen.current === 1, { what: 'the late one is current' });
    expect([...late.seen.entries]).toEqual([['h1', { term: 2 }]]);
    late.stop();

    await broker.restart();
    await waitFor(() => bucket.put('h1', { term: 3 }).then(() => true), { what: 'stored after the restart' });
    await waitFor(() => early.seen.current === 2 && (early.seen.entries.get('h1') as { term: number }).term === 3, {
      what: 'heard after the restart',
    });
    expect([...late.seen.entries]).toEqual([['h1', { term: 2 }]]);
    await bus.close();
  });

  it('says that the broker is away', async () => {
    const bus = EventBus.start({ url: 'nats://127.0.0.1:1', name: 'test' });
    const bucket = new Bucket(InstanceStreams.start({ bus, instance: 'default' }), 'ACCESS');
    await expect(bucket.put('a', 1)).rejects.toMatchObject({ code: 'service.unreachable', retry: 'safe' });
    await bus.close();
  });
});
