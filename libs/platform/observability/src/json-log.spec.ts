/** A log line is one JSON object. */
import { describe, expect, it } from '@jest/globals';
import { JsonLog } from './index.js';

describe('JsonLog', () => {
  it('writes one parsable line an event, with its facts, and takes what Nest hands it', () => {
    const lines: string[] = [];
    const log = new JsonLog('reaper', (line) => lines.push(line));
    log.info('swept', { reaped: 2 });
    log.warn('two\nlines', 'NestContext' as never);
    log.log();
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'info', service: 'reaper', event: 'swept', reaped: 2 },
      { level: 'warn', event: 'two\nlines', context: 'NestContext' },
    ]);
  });
});
