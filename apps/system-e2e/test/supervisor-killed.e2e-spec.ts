/** The supervisor dies again and again while a session floods a viewer. */
import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@holdfast/testing';
import { FloodReader, startRig } from '../src/index.js';

const FLOOD = 'i=0; while :; do echo $i; i=$((i+1)); done';

describe('a supervisor that is killed', () => {
  it('costs no number, repeats none, and leaves the child as it was, five times in a row', async () => {
    await using rig = await startRig();
    const { sessionId, epoch, pid } = await rig.createSession({ command: ['bash', '-c', FLOOD] });
    const flood = new FloodReader();
    const viewer = await rig.open(sessionId, { from: 0, epoch, onBytes: (bytes, offset) => flood.take(bytes, offset) });
    for (let round = 0; round < 5; round += 1) {
      const before = flood.count;
      await waitFor(() => flood.count > before + 5_000, { what: 'the flood flows', withinMs: 20_000 });
      await rig.kill('session-supervisor');
      const session = await waitFor(() => rig.holdfast.getSession(sessionId), { what: 'the session answers again', withinMs: 2_000 });
      expect(session).toMatchObject({ state: 'running', pid, epoch });
    }
    const last = flood.count;
    await waitFor(() => flood.count > last + 5_000, { what: 'the flood flows after the last kill', withinMs: 20_000 });
    expect({ fault: flood.fault, starts: viewer.starts.length }).toEqual({ fault: undefined, starts: 1 });
  }, 120_000);

  it('takes a new viewer within two seconds of its restart', async () => {
    await using rig = await startRig();
    const { sessionId, epoch } = await rig.createSession({ command: ['sh', '-c', 'echo before; exec sleep 600'] });
    await (await rig.open(sessionId, { from: 0, epoch })).sees('before');
    await rig.kill('session-supervisor');
    const restartedAt = performance.now();
    const viewer = await waitFor(() => rig.open(sessionId, { from: 0, epoch }), { what: 'a new viewer attaches' });
    await viewer.sees('before');
    expect(performance.now() - restartedAt).toBeLessThan(2_000);
  });
});
