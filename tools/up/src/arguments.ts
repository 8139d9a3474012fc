/** The command line of `up`. */
import { ID_PATTERN } from '@holdfast/kernel';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export const USAGE = `Usage: npm run up [-- OPTIONS]

Starts Holdfast: a NATS server of its own (unless HOLDFAST_NATS_URL is set), the session supervisor and
the gateways. Prints one ready line with the sign-in link on standard output and stays in the foreground.
Ctrl-C stops the services; sessions live on, and the next start finds them.

  --port N          port of the first gateway (default 7070; 0 = any free port)
  --gateways N      how many gateways, on following ports (default 1, at most 16)
  --instance NAME   installation on this machine (default "default")
  --state-dir DIR   where sessions, journals and the token are kept
  --no-dashboard    do not serve the dashboard
  --verbose         services' logs on standard error too
  --help            this text

Environment: HOLDFAST_* (see README.md); options win over it.
`;

export const MAX_GATEWAYS = 16;

export interface UpOptions {
  readonly gateways: number;
  readonly dashboard: boolean;
  readonly verbose: boolean;
  /** What the options say as variables: they are checked and passed on like any other configuration. */
  readonly environment: Readonly<Record<string, string>>;
}

export type ParsedArguments = { readonly run: UpOptions } | { readonly help: true } | { readonly fault: string };

/** Takes the arguments after the program's name; `directory` is what a relative --state-dir is relative to. */
export function parseArguments(argv: readonly string[], directory: string): ParsedArguments {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...argv],
      options: {
        port: { type: 'string' },
        gateways: { type: 'string' },
        instance: { type: 'string' },
        'state-dir': { type: 'string' },
        demo: { type: 'boolean' },
        'no-dashboard': { type: 'boolean' },
        verbose: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    }));
  } catch (error) {
    return { fault: (error as Error).message };
  }
  if (values.help) return { help: true };
  const fault = faultIn(values);
  if (fault !== undefined) return { fault };
  return {
    run: {
      gateways: Number(values.gateways ?? 1),
      dashboard: !values['no-dashboard'],
      verbose: values.verbose ?? false,
      environment: {
        ...(values.port === undefined ? {} : { HOLDFAST_GATEWAY_PORT: values.port }),
        ...(values.instance === undefined ? {} : { HOLDFAST_INSTANCE: values.instance }),
        ...(values['state-dir'] === undefined ? {} : { HOLDFAST_STATE_DIR: resolve(directory, values['state-dir']) }),
      },
    },
  };
}

interface GivenOptions {
  readonly port?: string | undefined;
  readonly gateways?: string | undefined;
  readonly instance?: string | undefined;
  readonly 'state-dir'?: string | undefined;
  readonly demo?: boolean | undefined;
}

function faultIn(values: GivenOptions): string | undefined {
  if (values.demo) return '--demo is not available yet';
  if (values.port !== undefined && !isWholeNumber(values.port, 0, 65_535))
    return `--port must be a whole number from 0 to 65535, not "${values.port}"`;
  if (values.gateways !== undefined && !isWholeNumber(values.gateways, 1, MAX_GATEWAYS)) {
    return `--gateways must be a whole number from 1 to ${MAX_GATEWAYS}, not "${values.gateways}"`;
  }
  if (values.instance !== undefined && !ID_PATTERN.test(values.instance)) {
    return `--instance must be 1 to 40 lower-case letters, digits and dashes, not "${values.instance}"`;
  }
  if (values['state-dir'] === '') return '--state-dir must not be empty';
  return undefined;
}

function isWholeNumber(text: string, min: number, max: number): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= min && Number(text) <= max;
}
