/** Takes what other services ask of tasks by event: each event once, bad ones rejected with a reason, early ones later. */
import { factSubjects, type inboxRejectedSchema } from '@holdfast/contracts';
import { decideRedelivery } from '@holdfast/domain-task';
import { ServiceError, type ErrorCode } from '@holdfast/kernel';
import type { CloudEvent, FactMessage, FactVerdict } from '@holdfast/platform-messaging';
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { Clock } from '../host/clock.js';
import { ownerOf, type CreateTaskUseCase } from '../tasks/create-task.use-case.js';
import { FACT_SOURCE, type TaskChanges } from '../tasks/task-changes.js';
import { taskIn } from '../tasks/task-queries.js';
import type { StoredTask, TaskStore, TaskUnit } from '../tasks/task-store.port.js';
import { readInboxEvent, type InboxEvent, type Unreadable } from './inbox-event.js';

export interface InboxHandlerOptions {
  readonly store: TaskStore;
  readonly create: CreateTaskUseCase;
  readonly changes: TaskChanges;
  readonly clock: Clock;
  /** Subject root of the instance. */
  readonly root: string;
  /** A task changed: launches and ends are due. */
  readonly onChange: (task: StoredTask) => void;
}

/** May be otherwise in a moment: the task may come, the queue may shrink. */
const WAITS: readonly ErrorCode[] = ['task.not-found', 'task.queue-full', 'task.launch-rate'];
const ACTION = { completed: 'complete', terminated: 'terminate', cancelled: 'cancel' } as const;

export class InboxHandler {
  constructor(private readonly options: InboxHandlerOptions) {}

  /** @throws what the store threw: the event is delivered again. */
  async handle(message: FactMessage): Promise<FactVerdict> {
    const event = readInboxEvent(message.subject, message.event);
    if (!('verb' in event)) return this.reject(message, event);
    try {
      const changed = await this.options.store.write((unit) => this.takeIn(unit, event));
      if (changed) this.options.onChange(changed);
      return 'done';
    } catch (thrown) {
      const error = ServiceError.from(thrown);
      if (error.code === 'internal' || error.code === 'storage.failed') throw thrown;
      const next = WAITS.includes(error.code) ? decideRedelivery(message.deliveries) : undefined;
      if (next?.do === 'delay') return { retryInMs: next.ms };
      return this.reject(message, { reason: `${error.code}: ${error.message}`, eventId: event.id, source: event.source });
    }
  }

  /** Undefined for a repeat, and when there was nothing to change. */
  private async takeIn(unit: TaskUnit, event: InboxEvent): Promise<StoredTask | undefined> {
    const { create, changes, clock } = this.options;
    if (!(await unit.ledger.takeIn(event, clock.bootMoment()))) return undefined;
    const by = ownerOf(`service:${event.source.replace(/[\s\0]+/g, '-').slice(0, 100)}`);
    if (event.verb === 'requested') return (await create.run(unit, { task: event.data, by })).task;
    const task = await taskIn(unit, event.data.taskId);
    if (event.verb === 'progress') {
      const { text } = event.data;
      return changes.note(unit, task, 'progress', { by, ...(text === undefined ? {} : { reason: { text } }) });
    }
    if (task.status === event.verb) return undefined;
    const { reason: text } = event.data;
    return changes.act(unit, task, ACTION[event.verb], { by, ...(text === undefined ? {} : { reason: { text } }) });
  }

  /** The rejection is a fact like any other: it leaves by the outbox, once per event. */
  private async reject({ subject, sequence }: FactMessage, refused: Unreadable): Promise<FactVerdict> {
    const { store, clock, root } = this.options;
    const { eventId: id, source, reason } = refused;
    const identity = id === null || source === null ? { source: subject, id: `#${sequence}` } : { source, id };
    const eventId = `rejected.${createHash('sha256')
      .update(JSON.stringify([identity.source, identity.id]))
      .digest('hex')
      .slice(0, 32)}`;
    await store.write(async (unit) => {
      if (!(await unit.ledger.takeIn(identity, clock.bootMoment()))) return;
      const data = { subject, eventId: id, source, reason };
      await unit.outbox.append({
        eventId,
        subject: factSubjects.inboxRejected(root),
        body: JSON.stringify(rejection(eventId, clock.wallTime(), data)),
      });
    });
    return { reject: reason };
  }
}

function rejection(id: string, time: string, data: z.infer<typeof inboxRejectedSchema>): CloudEvent {
  return { specversion: '1.0', id, source: FACT_SOURCE, type: 'holdfast.inbox.rejected', time, datacontenttype: 'application/json', data };
}
