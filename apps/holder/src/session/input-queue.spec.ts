/** Input: whole or refused, in order, once. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InputQueue, MAX_QUEUED_INPUT_BYTES } from './input-queue.js';

/** A terminal that takes a chunk only when told to. */
class SlowTerminal {
  taken = '';
  private done: (() => void) | undefined;

  write(chunk: Buffer, onDone: () => void): void {
    expect(this.done).toBeUndefined();
    this.taken += chunk.toString('latin1');
    this.done = onDone;
  }

  takeOne(): boolean {
    const done = this.done;
    this.done = undefined;
    done?.();
    return done !== undefined;
  }
}

const unsequenced = (text: string) => ({ seq: 0, viewerId: '', bytes: Buffer.from(text) });

describe('InputQueue', () => {
  it('hands on every write whole and in order, one chunk at a time', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 20_000, unit: 'binary-ascii' }), { maxLength: 8 }), (texts) => {
        const terminal = new SlowTerminal();
        const queue = new InputQueue(terminal);
        for (const text of texts) queue.accept(unsequenced(text));
        while (terminal.takeOne());
        expect(terminal.taken).toBe(texts.join(''));
      }),
    );
  });

  it('queues nothing of a write that has no room, and its sequence may be sent again', () => {
    const terminal = new SlowTerminal();
    const queue = new InputQueue(terminal);
    queue.accept(unsequenced('x'.repeat(MAX_QUEUED_INPUT_BYTES)));
    const write = { seq: 1, viewerId: 'v', bytes: Buffer.from('y') };
    expect(() => queue.accept(write)).toThrow(expect.objectContaining({ code: 'session.input-stalled' }));
    terminal.takeOne();
    expect([queue.accept(write).accepted, queue.accept(write).duplicate]).toEqual([1, true]);
  });

  it('forgets the viewer that was silent longest', () => {
    const queue = new InputQueue(new SlowTerminal());
    for (let viewer = 0; viewer <= 256; viewer += 1) queue.accept({ seq: 1, viewerId: `v${viewer}`, bytes: Buffer.from('x') });
    expect([queue.lastSequence('v0'), queue.lastSequence('v1'), queue.lastSequence('v256')]).toEqual([0, 1, 1]);
  });

  it('drops what the kernel has not got when it closes', () => {
    const terminal = new SlowTerminal();
    const queue = new InputQueue(terminal);
    queue.accept(unsequenced('a'));
    queue.accept(unsequenced('b'));
    queue.close();
    terminal.takeOne();
    expect(terminal.taken).toBe('a');
    expect(() => queue.accept(unsequenced('c'))).toThrow(expect.objectContaining({ code: 'session.ended' }));
  });
});
