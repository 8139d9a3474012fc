/** The outbox against a real broker that goes away: every fact arrives, in order per task, once by id. */
import { afterAll, expect, it } from '@jest/globals';
import { factSubjects, streamName, subjectRoot } from '@holdfast/contracts';
import { DEFAULT_ADMISSION_LIMITS } from '@holdfast/domain-task';
import { ServiceError } from '@holdfast/kernel';
import { EventBus, FactPublisher, InstanceStreams, consumeFacts } from '@holdfast/platform-messaging';
import { createTempDirectory, startNatsServer, waitFor, watchForLeaks } from '@holdfast/testing';
import { join } from 'node:path';
import { OutboxPublisher } from '../src/facts/outbox-publisher.js';
import { systemClock } from '../src/host/clock.js';
import { JsonLog } from '@holdfast/platform-observability';
import { TaskDatabase } from '../src/store/task-database.js';
import { taskCore } from '../src/task-core.js';
import { shell } from './service-rig.js';

const leaks = watchForLeaks();
afterAll(() => leaks.expectNone());
const root = subjectRoot('default');
const by = 'operator:ada';
const TASKS = 20;

it('delivers facts made before, during and after an outage, also when answers of the broker are lost', async () => {
  await using nats = await startNatsServer();
  await using directory = await createTempDirectory();
  const database = await TaskDatabase.open(`file:${join(directory.path, 'tasks.db')}`);
  const core = taskCore({ store: database, clock: systemClock, root, limits: DEFAULT_ADMISSION_LIMITS, token: 'token' });
  const bus = EventBus.start({ url: nats.url, name: 'test', onStatus: (status) => status === 'connected' && publisher.wake(0) });
  const streams = InstanceStreams.start({ bus, instance: 'default' });
  const facts = new FactPublisher(streams);
  let published = 0;
  const publisher = new OutboxPublisher({
    store: database,
    clock: systemClock,
    log: new JsonLog('test', () => undefined),
    publish: async (subject, event) => {
      await facts.publish(subject, event);
      published += 1;
      if (published % 7 === 0) throw new ServiceError('service.unreachable', 'the answer was lost');
    },
  });
  database.onCommit(({ events }) => publisher.wake(events));
  await publisher.start();
  const received: { readonly id: string; readonly taskId: string; readonly sequence: number }[] = [];
  const follower = consumeFacts({
    ...{ streams, stream: 'EVENTS', durable: 'test', filterSubject: factSubjects.allEvents(root) },
    handle: async ({ event }) => {
      const { id, data } = event as { id: string; data: { taskId: string; sequence: number } };
      received.push({ id, taskId: data.taskId, sequence: data.sequence });
      return 'done';
    },
  });
  const ids = Array.from({ length: TASKS }, (_, at) => `task-${at}`);
  const each = async (verb: 'complete' | 'reopen') => {
    for (const taskId of ids)
      await database.write(async (unit) => {
        const task = await unit.tasks.find(taskId);
        if (task) await core.changes.act(unit, task, verb, { by });
      });
  };
  for (const taskId of ids) await database.write((unit) => core.create.run(unit, { task: shell(taskId, taskId), by }));
  await waitFor(() => received.length > 0, { what: 'the first fact' });
  await nats.stop();
  await each('complete');
  await nats.restart();
  await each('reopen');
  await waitFor(() => publisher.pendingCount === 0 && new Set(received.map(({ id }) => id)).size === 3 * TASKS, {
    what: 'every fact',
    withinMs: 30_000,
  });
  const sequences = ids.map((taskId) => received.filter((fact) => fact.taskId === taskId).map(({ sequence }) => sequence));
  const stored = await (await streams.client()).streams.get(streamName('default', 'EVENTS'));
  const { messages } = (await stored.info()).state;
  await Promise.all([follower.close(), bus.close(), publisher.close()]);
  await database.close();
  expect([sequences, messages]).toEqual([ids.map(() => [1, 2, 3]), 3 * TASKS]);
});
