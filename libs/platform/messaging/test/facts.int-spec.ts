/** Streams, publishing and durable reading against a real nats-server that comes and goes. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startNatsServer, waitFor, watchForLeaks, type LeakWatch, type NatsServer } from '@holdfast/testing';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import {
  cloudEvent,
  consumeFacts,
  EventBus,
  FactPublisher,
  InstanceStreams,
  streamSpecs,
  type FactMessage,
  type FactVerdict,
} from '../src/index.js';

const fact = (n: number) => cloudEvent({ type: 'holdfast.test', source: '/test', data: { n } });
const subject = 'holdfast.v1.event.test.happened';

function open(broker: NatsServer) {
  const bus = EventBus.start({ url: broker.url, name: 'test' });
  const streams = InstanceStreams.start({ bus, instance: 'default' });
  return { bus, streams, publisher: new FactPublisher(streams) };
}

/** The numbers of the facts that came, in order, each handled as `verdict` says. */
function reader(streams: InstanceStreams, durable: string, verdict: (message: FactMessage) => FactVerdict = () => 'done') {
  const seen: number[] = [];
  const problems: string[] = [];
  const consumption = consumeFacts({
    streams,
    stream: 'EVENTS',
    durable,
    filterSubject: 'holdfast.v1.event.>',
    onProblem: (what) => problems.push(what),
    handle: (message) => {
      seen.push((message.event as { data: { n: number } } | undefined)?.data.n ?? -1);
      return Promise.resolve(verdict(message));
    },
  });
  return { seen, problems, consumption };
}

describe('facts', () => {
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

  it('makes the streams and buckets once, however many services start at once, and updates what an older build made', async () => {
    const connection = await connect(broker.login);
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: 'HOLDFAST_EVENTS', subjects: ['holdfast.v1.event.>'], max_bytes: 1024 * 1024 });
    const services = [open(broker), open(broker), open(broker)];
    const clients = await waitFor(() => Promise.all(services.map(({ streams }) => streams.client())), { what: 'streams made' });
    expect(clients).toHaveLength(3);
    const made = [];
    for await (const { config } of manager.streams.list())
      made.push({ name: config.name, subjects: config.subjects, max_bytes: config.max_bytes });
    expect(made.sort((a, b) => a.name.localeCompare(b.name))).toEqual(
      streamSpecs('default')
        .map(({ name, subjects, max_bytes }) => ({ name, subjects, max_bytes }))
        .sort((a, b) => a.name.localeCompare(b.name)),
    );
    await Promise.all(services.map(({ bus }) => bus.close()));
    await connection.close();
  });

  it('says that the broker is away, stores each event id once, and makes deleted streams again', async () => {
    await broker.stop();
    const { bus, publisher } = open(broker);
    await expect(publisher.publish(subject, fact(0))).rejects.toMatchObject({ code: 'service.unreachable', retry: 'safe' });
    await broker.restart();
    await waitFor(() => bus.isConnected, { what: 'connected' });
    const event = fact(1);
    const first = await publisher.publish(subject, event);
    expect([first.duplicate, await publisher.publish(subject, event)]).toEqual([false, { sequence: first.sequence, duplicate: true }]);

    const connection = await connect(broker.login);
    await (await jetstreamManager(connection)).streams.delete('HOLDFAST_EVENTS');
    await connection.close();
    await expect(publisher.publish(subject, fact(2))).rejects.toMatchObject({ code: 'service.unreachable' });
    await expect(publisher.publish(subject, fact(2))).resolves.toMatchObject({ duplicate: false });
    await expect(publisher.publish(subject, cloudEvent({ type: 'x', source: '/x', data: 'x'.repeat(1_100_000) }))).rejects.toMatchObject({
      code: 'request.too-large',
    });
    await bus.close();
  });

  it('gives up on a frozen broker after the deadline', async () => {
    const { bus, publisher } = open(broker);
    await waitFor(() => publisher.publish(subject, fact(3)), { what: 'streams made' });
    broker.freeze();
    try {
      await expect(publisher.publish(subject, fact(4), 50)).rejects.toMatchObject({ code: 'service.unreachable', retry: 'safe' });
    } finally {
      broker.thaw();
    }
    await bus.close();
  });

  it('reads on where it was after a restart of the broker and after a restart of itself', async () => {
    const { bus, streams, publisher } = open(broker);
    await waitFor(() => publisher.publish(subject, fact(10)), { what: 'first published' });
    const first = reader(streams, 'restarts');
    await waitFor(() => first.seen.includes(10), { what: 'first read' });
    await broker.restart();
    await waitFor(() => publisher.publish(subject, fact(11)), { what: 'published after the restart' });
    await waitFor(() => first.seen.includes(11), { what: 'read after the restart' });
    await first.consumption.close();
    await publisher.publish(subject, fact(12));
    const second = reader(streams, 'restarts');
    await waitFor(() => second.seen.length > 0, { what: 'read by the next reader' });
    expect(second.seen).toEqual([12]);
    await bus.close();
  });

  it('delivers again what asked for it or threw, never what was rejected, and holds nothing up meanwhile', async () => {
    const { bus, streams, publisher } = open(broker);
    await waitFor(() => publisher.publish(subject, fact(20)), { what: 'published' });
    const verdicts: Record<number, (deliveries: number) => FactVerdict> = {
      21: (deliveries) => (deliveries === 1 ? { retryInMs: 300 } : 'done'),
      22: () => ({ reject: 'nonsense' }),
      23: (deliveries) => {
        if (deliveries === 1) throw new Error('broken');
        return 'done';
      },
    };
    const { seen, problems } = reader(streams, 'verdicts', (message) => {
      const n = (message.event as { data: { n: number } }).data.n;
      return verdicts[n]?.(message.deliveries) ?? 'done';
    });
    for (const n of [21, 22, 23, 24]) await publisher.publish(subject, fact(n));
    await waitFor(() => seen.filter((n) => n === 23).length === 2, { what: 'the thrown one again' });
    expect([seen.filter((n) => n > 20).slice(0, 4), seen.filter((n) => n > 20).sort(), problems]).toEqual([
      [21, 22, 23, 24],
      [21, 21, 22, 23, 23, 24],
      ['event.rejected', 'event.handler-failed'],
    ]);
    await bus.close();
  });

  it('closes at once while the broker is away', async () => {
    const bus = EventBus.start({ url: 'nats://127.0.0.1:1', name: 'test' });
    const { consumption } = reader(InstanceStreams.start({ bus, instance: 'default' }), 'none');
    await consumption.close();
    await bus.close();
  });
});
