/** What a session's facts do to its record and its task, in any order and any number. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TASK_STATUSES, decideConsequence, decideEnded, decideStarted, isEndedRecord, type RecordState, type SessionEnd } from './index.js';

const running: RecordState = { status: 'running', epoch: 1 };

describe('the record of a session', () => {
  it.each([
    [{ code: 0 }, false, 'completed'],
    [{ code: 0 }, true, 'aborted'],
    [{ code: 3 }, false, 'aborted'],
    [{ signal: 'SIGKILL' }, false, 'aborted'],
    [{ lost: 'holder died' }, false, 'lost'],
    [{ lost: 'holder died' }, true, 'lost'],
  ] as const)('ends by %j (killed by us: %s) as %s', (exit, killed, status) => {
    expect(decideEnded(running, { epoch: 1, exit, killed })).toEqual({ do: 'apply', record: { status, epoch: 1 } });
  });

  it('takes the end of a session whose start was never heard of', () => {
    expect(decideEnded({ status: 'starting', epoch: 1 }, { epoch: 1, exit: { code: 0 }, killed: false })).toMatchObject({ do: 'apply' });
  });

  it('starts again with a newer epoch, and ignores what an older one still says', () => {
    expect([
      decideStarted({ status: 'aborted', epoch: 1 }, 2),
      decideEnded({ status: 'running', epoch: 2 }, { epoch: 1, exit: { code: 0 }, killed: false }),
      decideStarted({ status: 'running', epoch: 2 }, 1),
    ]).toEqual([
      { do: 'apply', record: { status: 'running', epoch: 2 } },
      { do: 'nothing', why: 'older-epoch' },
      { do: 'nothing', why: 'older-epoch' },
    ]);
  });

  it('ends where it would without repetitions, whatever is repeated or late', () => {
    const end: fc.Arbitrary<SessionEnd> = fc.record({
      epoch: fc.constantFrom(1, 2),
      exit: fc.constantFrom({ code: 0 }, { code: 1 }, { signal: 'SIGTERM' }, { lost: 'x' }),
      killed: fc.boolean(),
    });
    const started = fc.constantFrom(1, 2);
    fc.assert(
      fc.property(fc.array(fc.oneof(end, started)), (facts) => {
        let record: RecordState = { status: 'starting', epoch: 1 };
        for (const fact of facts) {
          const before = record;
          const verdict = typeof fact === 'number' ? decideStarted(record, fact) : decideEnded(record, fact);
          if (verdict.do === 'apply') record = verdict.record;
          const again = typeof fact === 'number' ? decideStarted(record, fact) : decideEnded(record, fact);
          expect(again.do).toBe('nothing');
          expect(record.epoch).toBeGreaterThanOrEqual(before.epoch);
          if (isEndedRecord(before.status) && record.epoch === before.epoch) expect(record).toEqual(before);
        }
      }),
    );
  });
});

describe('what the end of its session does to a task', () => {
  it('ends a task that was in progress, and leaves any other alone', () => {
    const table = TASK_STATUSES.map((status) => [
      status,
      decideConsequence(status, 'completed'),
      decideConsequence(status, 'aborted'),
      decideConsequence(status, 'lost'),
    ]);
    const nothing = { do: 'nothing' };
    expect(table).toEqual([
      ['open', nothing, nothing, nothing],
      ['pending', nothing, nothing, nothing],
      ['in_progress', { do: 'act', action: 'complete' }, { do: 'act', action: 'terminate' }, { do: 'needs-attention' }],
      ['completed', nothing, nothing, nothing],
      ['terminated', nothing, nothing, nothing],
      ['cancelled', nothing, nothing, nothing],
    ]);
  });
});
