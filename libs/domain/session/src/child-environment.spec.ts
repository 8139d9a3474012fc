/** What a child sees of the environment around it. */
import { describe, expect, it } from '@jest/globals';
import { childEnvironment } from './index.js';

describe('childEnvironment', () => {
  it('takes over an allow-list only, so that no secret and no trace of another agent reaches the child', () => {
    const inherited = {
      PATH: '/bin',
      HOME: '/root',
      CLAUDECODE: '1',
      CLAUDE_CODE_X: '1',
      HOLDFAST_OPERATOR_TOKEN: 't',
      API_KEY: 'k',
      TERM: 'dumb',
      LANG: 'C',
    };
    expect(childEnvironment({ inherited, requested: {}, sessionId: 's', mark: 'm' })).toEqual({
      PATH: '/bin',
      HOME: '/root',
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      HOLDFAST_SESSION_ID: 's',
      HOLDFAST_SESSION_MARK: 'm',
    });
  });

  it('keeps a UTF-8 locale and lets the request win over all but the two session variables', () => {
    const requested = { TERM: 'vt100', HOLDFAST_SESSION_ID: 'fake', MINE: 'x' };
    expect(
      childEnvironment({ inherited: { LANG: 'de_DE.UTF-8', LC_TIME: 'en_GB.utf8' }, requested, sessionId: 's', mark: 'm' }),
    ).toMatchObject({
      LANG: 'de_DE.UTF-8',
      LC_TIME: 'en_GB.utf8',
      TERM: 'vt100',
      MINE: 'x',
      HOLDFAST_SESSION_ID: 's',
    });
  });
});
