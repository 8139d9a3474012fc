/** What the command line takes, and what it says about the rest. */
import { describe, expect, it } from '@jest/globals';
import { parseArguments } from './arguments.js';

const parse = (...argv: string[]) => parseArguments(argv, '/home/ada');

describe('parseArguments', () => {
  it('starts one gateway with the dashboard when nothing is said', () => {
    expect(parse()).toEqual({ run: { gateways: 1, dashboard: true, verbose: false, environment: {} } });
  });

  it('turns options into the variables they override', () => {
    expect(parse('--port', '0', '--gateways', '3', '--instance', 'blue', '--state-dir', 'state', '--no-dashboard', '--verbose')).toEqual({
      run: {
        gateways: 3,
        dashboard: false,
        verbose: true,
        environment: { HOLDFAST_GATEWAY_PORT: '0', HOLDFAST_INSTANCE: 'blue', HOLDFAST_STATE_DIR: '/home/ada/state' },
      },
    });
  });

  it.each([
    [['--port', '70000'], /--port must be/],
    [['--port', 'x'], /--port must be/],
    [['--gateways', '0'], /--gateways must be/],
    [['--gateways', '17'], /--gateways must be/],
    [['--instance', 'Blue'], /--instance must be/],
    [['--state-dir', ''], /--state-dir must not be empty/],
    [['--demo'], /--demo is not available yet/],
    [['--nonsense'], /Unknown option/],
    [['extra'], /Unexpected argument/],
    [['--port'], /argument missing/],
  ])('refuses %j', (argv, fault) => {
    expect(parse(...argv)).toEqual({ fault: expect.stringMatching(fault) });
  });

  it('gives help whatever else is said', () => {
    expect(parse('--help', '--port', 'x')).toEqual({ help: true });
  });
});
