/** What people read about a task. */
import { describe, expect, it } from '@jest/globals';
import type { Task } from '@holdfast/contracts';
import { agentText, attentionFirst, attentionText, byText, hasTerminal, reasonText, statusText } from './task-text.js';

const task = (taskId: string, needsAttention: boolean): Task => ({
  ...{ taskId, needsAttention, title: taskId, status: 'open', owner: 'operator:me', agent: { kind: 'shell' }, priority: 0, labels: {} },
  ...{ createdAt: '', updatedAt: '', sequence: 1, sessions: [] },
});

describe('task texts', () => {
  it('tells what runs', () => {
    expect([
      agentText({ kind: 'command', args: ['sh', '-c', 'exit 3'] }),
      agentText({ kind: 'claude-code', args: ['--verbose'] }),
      agentText({ kind: 'shell' }),
    ]).toEqual([`sh -c 'exit 3'`, 'Claude Code --verbose', 'Shell']);
  });

  it('tells how it ended and by whom', () => {
    expect([
      reasonText({ exit: { code: 3 } }),
      reasonText({ exit: { signal: 'SIGTERM' }, text: 'too slow' }),
      reasonText({ text: 'no use' }),
      reasonText(undefined),
    ]).toEqual(['exit 3', 'SIGTERM: too slow', 'no use', '']);
    expect(['operator:me', 'session:abc', 'reaper', 'service:ci'].map(byText)).toEqual(['me', 'its session', 'the reaper', 'service:ci']);
    expect(statusText('in_progress')).toBe('in progress');
  });

  it('tells what a person should decide', () => {
    expect([
      attentionText({ status: 'open', reason: { text: 'no host' } }),
      attentionText({ status: 'in_progress', reason: { exit: { lost: 'its holder died' } } }),
      attentionText({ status: 'in_progress' }),
    ]).toEqual([
      'It could not be launched: no host. Launch it again, or end it.',
      'lost: its holder died. Decide what becomes of the task.',
      'Its session was lost, so nobody knows how the work ended. Decide what becomes of the task.',
    ]);
  });

  it('puts those that need attention first and leaves the rest as it was', () => {
    const tasks = [task('a', false), task('b', true), task('c', false), task('d', true)];
    expect(attentionFirst(tasks).map(({ taskId }) => taskId)).toEqual(['b', 'd', 'a', 'c']);
  });

  it('knows which sessions were ever there', () => {
    const records = [
      { lastStatus: 'starting', startedAt: null },
      { lastStatus: 'aborted', startedAt: null },
      { lastStatus: 'aborted', startedAt: null, exit: { code: 3 } },
      { lastStatus: 'aborted', startedAt: '2030-01-01T00:00:00Z' },
      { lastStatus: 'completed', startedAt: null },
      { lastStatus: 'lost', startedAt: null },
    ] as const;
    expect(records.map(hasTerminal)).toEqual([false, false, true, true, true, true]);
  });
});
