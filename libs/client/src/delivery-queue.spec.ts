/** The consumer gets one piece at a time, in order, and is the pace of it all. */
import { describe, expect, it } from '@jest/globals';
import { DeliveryQueue } from './delivery-queue.js';

function slowConsumer(maxPieceBytes = 100) {
  const told: string[] = [];
  const finish: (() => void)[] = [];
  const queue = new DeliveryQueue(
    {
      output: (bytes, offset) => {
        told.push(`output ${offset}+${bytes.length}`);
        return new Promise<void>((resolve) => finish.push(resolve));
      },
      consumed: (offset) => void told.push(`consumed ${offset}`),
      idle: () => void told.push('idle'),
      failed: (cause) => void told.push(`failed: ${String(cause)}`),
    },
    0,
    maxPieceBytes,
  );
  const finishOne = async () => {
    finish.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { queue, told, finishOne };
}

describe('DeliveryQueue', () => {
  it('waits for the consumer, gathers adjoining output meanwhile, and keeps steps in their place', async () => {
    const { queue, told, finishOne } = slowConsumer();
    queue.pushOutput(0, new Uint8Array(10));
    queue.pushOutput(10, new Uint8Array(60));
    queue.pushOutput(70, new Uint8Array(40));
    queue.pushOutput(110, new Uint8Array(1));
    queue.pushStep(() => void told.push('step'));
    await finishOne();
    await finishOne();
    await finishOne();
    expect(told).toEqual(['output 0+10', 'consumed 10', 'output 10+100', 'consumed 110', 'output 110+1', 'consumed 111', 'step', 'idle']);
  });

  it('counts as handed over what the consumer holds, and forgets only what it does not', async () => {
    const { queue, told, finishOne } = slowConsumer();
    queue.pushOutput(0, new Uint8Array(10));
    queue.pushOutput(10, new Uint8Array(10));
    queue.dropWaiting();
    await finishOne();
    expect({ told, handedOver: queue.handedOver }).toEqual({ told: ['output 0+10', 'consumed 10', 'idle'], handedOver: 10 });
  });

  it('moves to a new start only when the consumer gets there', async () => {
    const { queue, told, finishOne } = slowConsumer();
    queue.pushOutput(0, new Uint8Array(10));
    queue.pushStart(500, () => void told.push('start'));
    expect(queue.handedOver).toBe(10);
    await finishOne();
    expect({ told, handedOver: queue.handedOver }).toEqual({ told: ['output 0+10', 'consumed 10', 'start', 'idle'], handedOver: 500 });
  });

  it('hands nothing more to a consumer that threw', async () => {
    const told: string[] = [];
    const queue = new DeliveryQueue(
      {
        output: () => {
          throw new Error('full');
        },
        consumed: () => void told.push('consumed'),
        idle: () => void told.push('idle'),
        failed: (cause) => void told.push(String(cause)),
      },
      0,
      100,
    );
    queue.pushOutput(0, new Uint8Array(1));
    queue.pushOutput(1, new Uint8Array(1));
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual(['Error: full']);
  });
});
