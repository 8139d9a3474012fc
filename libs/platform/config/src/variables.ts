/** Every variable we read, with the schema of its text and an example of a good value. One flat table. */
import { ID_PATTERN } from '@holdfast/kernel';
import { isIP } from 'node:net';
import { isAbsolute, normalize } from 'node:path';
import { z } from 'zod';

/** A gateway that other machines can reach must not have a token that can be guessed. */
export const MIN_REMOTE_TOKEN_LENGTH = 24;

const KIB = 1024;
const MIB = 1024 * KIB;

interface WholeNumberRange {
  readonly min: number;
  readonly max: number;
}

function wholeNumber({ min, max }: WholeNumberRange) {
  const fault = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,16}$/, fault)
    .transform(Number)
    .refine((value) => value >= min && value <= max, fault);
}

const absolutePath = z
  .string()
  .refine((path) => isAbsolute(path), 'must be an absolute path')
  .transform((path) => normalize(path).replace(/(?<=.)\/+$/, ''));

const hostName = z
  .string()
  .refine((host) => isIP(host) !== 0 || /^(?!-)[a-zA-Z0-9.-]{1,253}$/.test(host), 'must be an IP address or a host name');

const natsServers = z
  .string()
  .refine((urls) => urls.split(',').every(isNatsUrl), 'must be one or more nats:// or tls:// URLs, separated by commas');

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isNatsUrl(text: string): boolean {
  const url = parseUrl(text.trim());
  return url !== undefined && (url.protocol === 'nats:' || url.protocol === 'tls:') && url.hostname !== '';
}

const origin = z.string().refine((text) => {
  const url = parseUrl(text);
  return url !== undefined && (url.protocol === 'http:' || url.protocol === 'https:') && url.origin === text;
}, 'must be an origin: scheme, host and port, no path and no trailing slash');

const addressRanges = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((ranges) => ranges.every(isAddressRange), 'must be IP addresses or CIDR ranges, separated by commas');

function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Prisma's form for SQLite. Relative paths would depend on where a service was started. */
const databaseUrl = z
  .string()
  .refine((url) => /^file:\/[^?#]*[^/?#]$/.test(url), 'must be file: followed by the absolute path of a SQLite database');

const SWITCH_WORDS: Readonly<Record<string, boolean>> = { on: true, true: true, '1': true, off: false, false: false, '0': false };

const onOrOff = z
  .string()
  .refine((word) => Object.hasOwn(SWITCH_WORDS, word), 'must be on or off')
  .transform((word) => SWITCH_WORDS[word] === true);

const HOUR_MS = 3600 * 1000;
const YEAR_MS = 365 * 24 * HOUR_MS;

export const CONFIG_VARIABLES = {
  HOLDFAST_INSTANCE: {
    schema: z.string().regex(ID_PATTERN, 'must be 1 to 40 lower-case letters, digits and dashes, and not start with a dash'),
    example: 'default',
  },
  HOLDFAST_STATE_DIR: { schema: absolutePath, example: '/var/lib/holdfast/default' },
  HOLDFAST_RUNTIME_DIR: { schema: absolutePath, example: '/run/holdfast/default' },
  HOLDFAST_NATS_URL: { schema: natsServers, example: 'nats://127.0.0.1:4222' },
  HOLDFAST_GATEWAY_HOST: { schema: hostName, example: '127.0.0.1' },
  HOLDFAST_GATEWAY_PORT: { schema: wholeNumber({ min: 0, max: 65_535 }), example: '7070' },
  HOLDFAST_PUBLIC_ORIGIN: { schema: origin, example: 'https://holdfast.example.org' },
  HOLDFAST_TRUSTED_PROXIES: { schema: addressRanges, example: '127.0.0.1,10.0.0.0/8' },
  HOLDFAST_OPERATOR_TOKEN: {
    schema: z.string().regex(/^[\x21-\x7e]{1,512}$/, 'must be 1 to 512 printable ASCII characters without spaces'),
    example: 'the output of: openssl rand -base64 32',
  },
  HOLDFAST_SESSIONS_PER_HOLDER: { schema: wholeNumber({ min: 1, max: 64 }), example: '8' },
  HOLDFAST_BACKEND: {
    schema: z.enum(['holder', 'tmux', 'dtach', 'replay'], 'must be one of holder, tmux, dtach, replay'),
    example: 'holder',
  },
  HOLDFAST_HOLDER_LAUNCHER: { schema: z.enum(['local', 'starter'], 'must be local or starter'), example: 'local' },
  HOLDFAST_JOURNAL_BYTES: { schema: wholeNumber({ min: 64 * KIB, max: 1024 * 1024 * MIB }), example: String(64 * MIB) },
  HOLDFAST_JOURNALS_TOTAL_BYTES: { schema: wholeNumber({ min: 64 * KIB, max: 1024 * 1024 * MIB }), example: String(2048 * MIB) },
  HOLDFAST_LEFTOVER_GRACE_MS: { schema: wholeNumber({ min: 0, max: 24 * 3600 * 1000 }), example: '60000' },
  HOLDFAST_DATABASE_URL: { schema: databaseUrl, example: 'file:/var/lib/holdfast/default/tasks.db' },
  HOLDFAST_REAP_ORPHAN_SESSIONS: { schema: onOrOff, example: 'on' },
  HOLDFAST_REAP_ORPHAN_AGE_MS: { schema: wholeNumber({ min: 0, max: YEAR_MS }), example: String(24 * HOUR_MS) },
  HOLDFAST_REAP_PRESSURE_SESSIONS: { schema: wholeNumber({ min: 1, max: 100_000 }), example: '20' },
  HOLDFAST_REAP_ORPHAN_AGE_UNDER_PRESSURE_MS: { schema: wholeNumber({ min: 0, max: YEAR_MS }), example: String(2 * HOUR_MS) },
  HOLDFAST_REAP_TERMINAL_TASK_GRACE_MS: { schema: wholeNumber({ min: 0, max: YEAR_MS }), example: '60000' },
  HOLDFAST_REAP_INTERVAL_MS: { schema: wholeNumber({ min: 100, max: HOUR_MS }), example: '5000' },
  HOLDFAST_REAP_MAX_PER_SWEEP: { schema: wholeNumber({ min: 1, max: 1000 }), example: '10' },
  HOLDFAST_DASHBOARD_DIR: { schema: absolutePath, example: '/opt/holdfast/apps/dashboard/dist' },
} as const satisfies Record<string, { schema: z.ZodType<unknown, string>; example: string }>;

export type ConfigVariable = keyof typeof CONFIG_VARIABLES;
