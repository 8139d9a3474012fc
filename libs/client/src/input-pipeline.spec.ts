/** What the pipeline does with each kind of failure. */
import { describe, expect, it } from '@jest/globals';
import { ServiceError, type ErrorCode } from '@holdfast/kernel';
import { InputPipeline } from './input-pipeline.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A holder's view: applies the next sequence, refuses gaps, ignores repeats; `faults` are thrown in place of the first answers. */
function rig(faults: (ErrorCode | 'lost' | undefined)[]) {
  const applied: string[] = [];
  let lastSeq = 0;
  let lostTrack = 0;
  const pipeline: InputPipeline = new InputPipeline({
    async send(seq, sent) {
      const fault = faults.shift();
      if (fault !== undefined && fault !== 'lost') throw new ServiceError(fault, fault);
      if (seq > lastSeq + 1) throw new ServiceError('session.input-gap', `${seq} after ${lastSeq}`);
      if (seq === lastSeq + 1) {
        lastSeq = seq;
        applied.push(new TextDecoder().decode(sent));
      }
      if (fault === 'lost') throw new ServiceError('link.closed', 'applied, but the answer was lost');
    },
    lostTrack: () => {
      lostTrack += 1;
      setImmediate(() => pipeline.resume(lastSeq));
    },
  });
  pipeline.resume(0);
  return { pipeline, applied, lostTracks: () => lostTrack };
}

describe('InputPipeline', () => {
  it('sends again what a busy session refused, in order and without the later ones passing', async () => {
    const { pipeline, applied } = rig(['session.input-stalled']);
    await Promise.all(['a', 'b', 'c'].map((text) => pipeline.write(bytes(text))));
    expect(applied).toEqual(['a', 'b', 'c']);
  });

  it('asks where it stands when an answer was lost, and does not apply twice', async () => {
    const { pipeline, applied, lostTracks } = rig([undefined, 'lost', 'deadline.exceeded']);
    await Promise.all(['a', 'b', 'c'].map((text) => pipeline.write(bytes(text))));
    expect({ applied, lostTracks: lostTracks() }).toEqual({ applied: ['a', 'b', 'c'], lostTracks: 1 });
  });

  it('fails one write that can never succeed and goes on with the rest', async () => {
    const { pipeline, applied } = rig([undefined, 'request.too-large']);
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((text) => pipeline.write(bytes(text))));
    expect({ applied, outcomes: outcomes.map(({ status }) => status) }).toEqual({
      applied: ['a', 'c'],
      outcomes: ['fulfilled', 'rejected', 'fulfilled'],
    });
  });

  it('holds writes while suspended and fails them when abandoned', async () => {
    const { pipeline, applied } = rig([]);
    pipeline.suspend();
    const waiting = pipeline.write(bytes('a'));
    await turn();
    expect(applied).toEqual([]);
    pipeline.abandon(new ServiceError('link.closed', 'over'));
    await expect(waiting).rejects.toMatchObject({ code: 'link.closed' });
  });
});
