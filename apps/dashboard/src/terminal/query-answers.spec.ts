/** Which sequences reach the terminal's own handlers. */
import { describe, expect, it } from '@jest/globals';
import type { IFunctionIdentifier } from '@xterm/xterm';
import { controlAnswers } from './query-answers.js';

type Csi = (parameters: (number | number[])[]) => boolean | Promise<boolean>;
type Text = (data: string) => boolean | Promise<boolean>;

/** Keeps the handlers by name, as the parser does. */
function rig() {
  const csi = new Map<string, Csi>();
  const osc = new Map<number, Text>();
  const name = ({ prefix = '', intermediates = '', final }: IFunctionIdentifier) => `${prefix}${intermediates}${final}`;
  const disposable = { dispose: () => undefined };
  const muted = { now: true };
  const parser = {
    registerCsiHandler: (id: IFunctionIdentifier, handler: Csi) => (csi.set(name(id), handler), disposable),
    registerDcsHandler: () => disposable,
    registerOscHandler: (id: number, handler: Text) => (osc.set(id, handler), disposable),
  };
  controlAnswers({ parser }, () => muted.now);
  return { csi, osc, muted };
}

describe('controlAnswers', () => {
  it('swallows questions while muted, and lets them through afterwards', () => {
    const { csi, muted } = rig();
    const ask = () => ['c', '>c', 'n', '?n', '?$p', '>q', '?u'].map((name) => csi.get(name)?.([0]));
    expect(ask()).toEqual(Array(7).fill(true));
    muted.now = false;
    expect(ask()).toEqual(Array(7).fill(false));
  });

  it('lets colours be set and titles be stacked while muted', () => {
    const { csi, osc } = rig();
    expect([osc.get(11)?.('#123456'), osc.get(4)?.('1;#fff'), csi.get('t')?.([22, 0]), csi.get('t')?.([23])]).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect([osc.get(11)?.('?'), osc.get(4)?.('1;?'), csi.get('t')?.([18])]).toEqual([true, true, true]);
  });

  it('never touches the clipboard', () => {
    const { osc, muted } = rig();
    muted.now = false;
    expect(osc.get(52)?.('c;aGk=')).toBe(true);
  });
});
