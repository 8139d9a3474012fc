/** What people read about a session. */
import { describe, expect, it } from '@jest/globals';
import { ageText, bytesText, commandText, exitSentence, exitText, nameOf } from './session-text.js';

describe('session texts', () => {
  it('names a session by its title, else by its command as one would type it', () => {
    expect(nameOf({ title: 'Build', command: ['make'] })).toBe('Build');
    expect(nameOf({ title: ' ', command: ['bash', '-c', `echo 'a b'`] })).toBe(`bash -c 'echo '\\''a b'\\'''`);
    expect(commandText(['run', '', '--x=/a,b'])).toBe(`run '' --x=/a,b`);
  });

  it('tells how a session ended', () => {
    expect([{ code: 3 }, { signal: 'SIGKILL' }, { lost: 'its holder died' }].map(exitText)).toEqual([
      'exit 3',
      'SIGKILL',
      'lost: its holder died',
    ]);
    expect(exitSentence({ code: 0 }, null)).toBe('Exited with code 0');
  });

  it('tells ages in the largest unit, and none before the beginning', () => {
    const now = Date.parse('2024-01-10T00:00:00Z');
    const since = ['2024-01-10T00:00:05Z', '2024-01-09T23:59:18Z', '2024-01-09T23:01:00Z', '2024-01-09T01:00:00Z', '2024-01-07T00:00:00Z'];
    expect(since.map((iso) => ageText(iso, now))).toEqual(['0 s', '42 s', '59 min', '23 h', '3 d']);
  });

  it('tells sizes with two digits', () => {
    expect([0, 999, 1500, 123_456, 64_000_000, 2e12].map(bytesText)).toEqual(['0 B', '999 B', '1.5 KB', '123 KB', '64.0 MB', '2000 GB']);
  });
});
