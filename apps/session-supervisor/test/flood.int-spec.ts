/** Floods through memory and journal: exact for who keeps up, for who does not, and over a restart in mid-flood. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FEED_WINDOW_BYTES } from '@holdfast/contracts';
import { waitFor, watchForLeaks, type LeakWatch } from '@holdfast/testing';
import { createHash } from 'node:crypto';
import type { Received } from './link-client.js';
import { SupervisorRig } from './supervisor-rig.js';

const LINES = 2_000_000;
const FLOOD = ['sh', '-c', `read go; seq ${LINES}; exit 0`];

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function expectedFlood(): Buffer {
  return Buffer.from(`go\r\n${Array.from({ length: LINES }, (_, index) => index + 1).join('\r\n')}\r\n`);
}

async function untilExit(feed: Received): Promise<void> {
  await waitFor(() => feed.events.some((event) => event.event === 'exit'), { what: 'exit event', withinMs: 60_000 });
}

describe('a flood', () => {
  const expected = expectedFlood();
  let leaks: LeakWatch;
  beforeAll(() => {
    leaks = watchForLeaks();
  });
  afterAll(() => leaks.expectNone());

  it('reaches who keeps up and who stopped reading exactly, and delays no other session', async () => {
    await using rig = await SupervisorRig.start();
    const slow = await rig.connect();
    slow.acknowledges = false;
    await rig.link.create({ sessionId: 'flood', command: FLOOD });
    await rig.link.create({ sessionId: 'calm', command: ['cat'] });
    const [fast, stopped, calm] = [await rig.link.follow('flood', 0), await slow.follow('flood', 0), await rig.link.follow('calm', 0)];
    await rig.link.type('flood', 'go\n');
    await rig.link.type('calm', 'hello\n');
    await untilExit(fast);
    expect(stopped.length).toBe(FEED_WINDOW_BYTES);
    expect(calm.bytes.toString()).toBe('hello\r\nhello\r\n');
    slow.acknowledges = true;
    slow.acknowledge(stopped);
    await untilExit(stopped);
    for (const feed of [fast, stopped]) {
      expect(feed.isContinuous).toBe(true);
      expect(feed.length).toBe(expected.length);
      expect(sha256(feed.bytes)).toBe(sha256(expected));
    }
    expect(sha256(await rig.link.readAll('flood'))).toBe(sha256(expected));
  });

  it('goes on without gap or repetition after the supervisor was killed in its middle', async () => {
    await using rig = await SupervisorRig.start();
    await rig.link.create({ sessionId: 'flood', command: FLOOD });
    const parts = [await rig.link.follow('flood', 0)];
    await rig.link.type('flood', 'go\n');
    for (const share of [0.2, 0.4]) {
      await waitFor(() => (parts.at(-1) as Received).start + (parts.at(-1) as Received).length > share * expected.length, {
        what: 'a part of the flood',
      });
      await rig.restart();
      const last = parts.at(-1) as Received;
      parts.push(await rig.link.follow('flood', last.start + last.length));
    }
    await untilExit(parts.at(-1) as Received);
    expect(parts.map((part) => part.isContinuous)).toEqual([true, true, true]);
    expect(sha256(Buffer.concat(parts.map((part) => part.bytes)))).toBe(sha256(expected));
  });
});
