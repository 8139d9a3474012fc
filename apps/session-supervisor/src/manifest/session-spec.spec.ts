/** When two creates ask for the same. */
import { describe, expect, it } from '@jest/globals';
import { isSameSpec, type SessionSpec } from './session-spec.js';

const SPEC: SessionSpec = { command: ['sh', '-c', 'x'], env: { A: '1', B: '2' } };

describe('isSameSpec', () => {
  it.each<[string, SessionSpec, boolean]>([
    ['another order of keys', { env: { B: '2', A: '1' }, command: ['sh', '-c', 'x'] }, true],
    [
      'defaults spelled out',
      { ...SPEC, cols: 120, rows: 40, keepBackground: false, isolation: 'shared', labels: {}, backend: 'holder' },
      true,
    ],
    ['another order of arguments', { ...SPEC, command: ['-c', 'sh', 'x'] }, false],
    ['one variable more', { ...SPEC, env: { A: '1', B: '2', C: '3' } }, false],
    ['another backend', { ...SPEC, backend: 'tmux' }, false],
    ['another size', { ...SPEC, cols: 80 }, false],
  ])('compares %s', (_what, other, same) => {
    expect(isSameSpec(SPEC, other, 'holder')).toBe(same);
  });
});
