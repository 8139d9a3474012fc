/** Two gateways, a viewer of the same session on each: equals, until one of the gateways is killed. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@holdfast/testing';
import { FloodReader, startRig, type Rig } from '../src/index.js';

/** Says what it was told, and counts the lines. */
const ECHOING = ['sh', '-c', 'stty -echo; echo ready; n=0; while read -r line; do n=$((n+1)); echo "$n: $line"; done'];
const FLOOD = ['bash', '-c', 'i=0; while :; do echo $i; i=$((i+1)); done'];

describe('two gateways', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig({ gateways: 2 });
  }, 60_000);
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
  });

  it('let a viewer on each type and see the same bytes, also across the kill of one of them', async () => {
    const { sessionId, epoch } = await rig.createSession({ command: ECHOING });
    const from = { from: 0, epoch, mode: 'write' } as const;
    const one = await rig.open(sessionId, from, 'gateway-1');
    const two = await rig.open(sessionId, from, 'gateway-2');
    const bothSee = (text: string) => Promise.all([one.sees(text), two.sees(text)]);
    await bothSee('ready');
    await one.sendText('from one\r');
    await bothSee('1: from one');
    await two.sendText('from two\r');
    await bothSee('2: from two');
    const address = rig.upState().gateways[1];

    await rig.kill('gateway-2');
    await one.sendText('one alone\r');
    await two.sendText('two is back\r');
    await bothSee('one alone\r\n');
    await bothSee('two is back\r\n');
    const recorded = await rig.outputOf(sessionId);
    expect({ address: rig.upState().gateways[1], starts: [one.starts.length, two.starts.length] }).toEqual({ address, starts: [1, 1] });
    expect([one.bytes, two.bytes]).toEqual([recorded, recorded]);
    const told = one.text.split('\r\n').slice(1, -1);
    expect([...told].sort()).toEqual(['1: from one', '2: from two', expect.stringMatching(/^3: /), expect.stringMatching(/^4: /)]);
  });

  it('lose no number of a flood when the one that streams it is killed', async () => {
    const { sessionId, epoch, pid } = await rig.createSession({ command: FLOOD });
    const floods = [new FloodReader(), new FloodReader()] as const;
    const viewers = await Promise.all(
      floods.map((flood, index) =>
        rig.open(sessionId, { from: 0, epoch, onBytes: (bytes, offset) => flood.take(bytes, offset) }, `gateway-${index + 1}`),
      ),
    );
    const flow = async (what: string) => {
      const before = floods.map(({ count }) => count);
      await waitFor(() => floods.every(({ count }, index) => count > (before[index] ?? 0) + 5_000), { what, withinMs: 30_000 });
    };
    await flow('both floods flow');
    for (let kills = 0; kills < 2; kills += 1) {
      await rig.kill('gateway-2');
      await flow('both floods flow after a kill');
    }
    expect({ faults: floods.map(({ fault }) => fault), starts: viewers.map(({ starts }) => starts.length) }).toEqual({
      faults: [undefined, undefined],
      starts: [1, 1],
    });
    expect(await rig.holdfast.getSession(sessionId)).toMatchObject({ state: 'running', pid });
  });
});
