/** Has holders started by the starter of the container where sessions run; we share its files and its pid namespace. */
import { ServiceError } from '@holdfast/kernel';
import { z } from 'zod';
import { parseAnswer } from '../holder-messages.schema.js';
import { openChannel, type OwnHello } from '../open-channel.js';
import type { HolderStart, HolderStarter } from './holder-starter.port.js';

/** The starter itself gives a holder up after 10 s, and says so. */
export const STARTER_DEADLINE_MS = 12_000;
const startedSchema = z.object({ pid: z.int().min(1) });

export class RemoteHolderStarter implements HolderStarter {
  constructor(
    private readonly socketPath: string,
    private readonly own: OwnHello,
  ) {}

  async start({ holderId, build, onSpawned }: HolderStart): Promise<number> {
    try {
      const { channel } = await openChannel(this.socketPath, this.own, { onMessage: () => {}, onClose: () => {} });
      try {
        const answer = await channel.request('start', { holderId, build }, STARTER_DEADLINE_MS);
        const { pid } = parseAnswer(startedSchema, answer.head, 'start');
        onSpawned(pid);
        return pid;
      } finally {
        channel.close();
      }
    } catch (error) {
      const { code, message } = ServiceError.from(error);
      if (code === 'holder.start-failed') throw error;
      throw new ServiceError('holder.start-failed', `the starter did not start holder ${holderId}: ${message}`, { cause: error });
    }
  }
}
