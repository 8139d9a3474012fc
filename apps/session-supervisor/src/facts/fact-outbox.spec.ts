/** Facts leave in order, at least once, under the same ids, whatever the broker and this process do. */
import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@holdfast/kernel';
import type { CloudEvent } from '@holdfast/platform-messaging';
import { waitFor } from '@holdfast/testing';
import { FakeHandle } from '../backend/fake-backend.js';
import { SessionRig, clock } from '../../test/session-rig.js';
import { FactOutbox } from './fact-outbox.js';

const EXIT = { sessionId: 's1', epoch: 1, exit: { code: 3 }, endedAt: '2026-01-01T00:00:01.000Z', offset: 12 };
const log = { info: () => {}, warn: () => {}, error: () => {} };

/** A broker that can be away, and what it has stored. */
class FakeBroker {
  isAway = false;
  tries = 0;
  readonly stored: { readonly subject: string; readonly event: CloudEvent }[] = [];
  failure = new ServiceError('service.unreachable', 'away');

  publish = async (subject: string, event: CloudEvent): Promise<void> => {
    this.tries += 1;
    if (this.isAway) throw this.failure;
    this.stored.push({ subject, event });
  };
  get ids(): string[] {
    return this.stored.map(({ event }) => event.id);
  }
}

function outboxOf(rig: SessionRig, broker: FakeBroker): FactOutbox {
  const outbox = new FactOutbox({ hostId: 'host', root: 'root', clock, log, publish: broker.publish }, rig.ledger, rig.registry);
  rig.manifests.onChange = ({ sessionId }) => outbox.note(sessionId);
  outbox.start();
  return outbox;
}

async function endedSession(rig: SessionRig): Promise<void> {
  const handle = new FakeHandle();
  rig.backend.handle = handle;
  await rig.create.run({ sessionId: 's1', command: ['true'], owner: 'task:t1', taskId: 't1' });
  await waitFor(() => rig.registry.require('s1').handle, { what: 'attached' });
  handle.emitExit(EXIT);
  await rig.registry.require('s1').whenEnded;
}

describe('the outbox of facts', () => {
  it('tells a start and an exit as they happen', async () => {
    await using rig = await SessionRig.open();
    const broker = new FakeBroker();
    const outbox = outboxOf(rig, broker);
    await endedSession(rig);
    await waitFor(() => broker.stored.length === 2, { what: 'both facts' });
    const about = { sessionId: 's1', epoch: 1, hostId: 'host', owner: 'task:t1', taskId: 't1', backend: 'holder' };
    const envelope = { specversion: '1.0', source: '/session-supervisor/host', subject: 's1', datacontenttype: 'application/json' };
    const at = '2026-01-01T00:00:00.000Z';
    expect(broker.stored).toEqual([
      {
        subject: 'root.event.session.s1.started',
        event: { ...envelope, id: 's1-1-started', type: 'holdfast.session.started', time: at, data: { ...about, at, pid: 42 } },
      },
      {
        subject: 'root.event.session.s1.exited',
        event: {
          ...envelope,
          id: 's1-1-exited',
          type: 'holdfast.session.exited',
          time: EXIT.endedAt,
          data: { ...about, at: EXIT.endedAt, exit: { code: 3 }, offset: 12 },
        },
      },
    ]);
    await outbox.stop();
  });

  it('keeps them while the broker is away and sends each once when it is back', async () => {
    await using rig = await SessionRig.open();
    const broker = new FakeBroker();
    broker.isAway = true;
    const outbox = outboxOf(rig, broker);
    await endedSession(rig);
    await waitFor(() => broker.tries > 2, { what: 'some tries' });
    broker.isAway = false;
    await waitFor(() => broker.stored.length === 2, { what: 'both facts' });
    await outbox.stop();
    rig.restart();
    const next = outboxOf(rig, broker);
    await waitFor(() => rig.ledger.unsentOf(rig.registry.require('s1').manifest).length === 0, { what: 'nothing unsent' });
    await next.stop();
    expect(broker.ids).toEqual(['s1-1-started', 's1-1-exited']);
  });

  it('finds unsent facts on disk after a crash, and repeats one that was not marked under the same id', async () => {
    await using rig = await SessionRig.open();
    await endedSession(rig);
    rig.restart();
    rig.ledger.markSent('s1', 's1-1-started');
    const broker = new FakeBroker();
    const outbox = outboxOf(rig, broker);
    await waitFor(() => broker.stored.length === 1, { what: 'the exit' });
    expect(broker.ids).toEqual(['s1-1-exited']);
    await outbox.stop();
  });

  it('sends the facts of a session that was purged before the broker came', async () => {
    await using rig = await SessionRig.open();
    await endedSession(rig);
    await rig.kill.run({ sessionId: 's1', purge: true });
    rig.restart();
    const broker = new FakeBroker();
    const outbox = outboxOf(rig, broker);
    await waitFor(() => broker.stored.length === 2 && rig.ledger.purgedIds().length === 0, { what: 'both facts' });
    expect(broker.ids).toEqual(['s1-1-started', 's1-1-exited']);
    await outbox.stop();
  });

  it('lets a fact that the broker will never take not hold up the others', async () => {
    await using rig = await SessionRig.open();
    const broker = new FakeBroker();
    broker.isAway = true;
    broker.failure = new ServiceError('request.too-large', 'too large');
    const outbox = outboxOf(rig, broker);
    await endedSession(rig);
    await waitFor(() => rig.ledger.unsentOf(rig.registry.require('s1').manifest).length === 0, { what: 'given up' });
    await outbox.stop();
  });
});
