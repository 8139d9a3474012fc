/** Sessions over REST, the link and the dashboard: one schema each, types inferred from it. */
import { ID_PATTERN } from '@holdfast/kernel';
import { z } from 'zod';

export const idSchema = z.string().regex(ID_PATTERN, 'must match ^[a-z0-9][a-z0-9-]{0,39}$');

const MAX_SIDE = 1000;
const side = z.int().min(1).max(MAX_SIDE);
/** NUL would cut the string short in exec(2). */
const noNul = (what: string) => z.string().refine((text) => !text.includes('\0'), `${what} must not contain NUL`);
const environmentName = z.string().regex(/^[^=\0]+$/, 'a variable name holds neither "=" nor NUL and is not empty');
export const ownerSchema = z
  .string()
  .regex(/^(operator|task|pool|service):[^\s\0]{1,100}$/, 'must be operator:NAME, task:ID, pool:ID or service:NAME');

export const backendSchema = z.enum(['holder', 'tmux', 'dtach', 'replay']);
export type Backend = z.infer<typeof backendSchema>;

export const agentKindSchema = z.enum(['claude-code', 'codex', 'gemini', 'shell', 'command']);

/** Body of `POST /v1/sessions`. Unknown keys are refused, so that a misspelt one is not silently without effect. */
export const createSessionSchema = z.strictObject({
  sessionId: idSchema.optional(),
  owner: ownerSchema.optional(),
  taskId: idSchema.optional(),
  backend: backendSchema.optional(),
  hostId: idSchema.optional(),
  agentKind: agentKindSchema.optional(),
  /** argv; the first is looked up in the child's PATH. */
  command: z
    .array(noNul('an argument'))
    .min(1)
    .max(1000)
    .refine((argv) => argv[0] !== '', 'the program must not be empty'),
  /** Absolute; absent = the service user's home. */
  cwd: noNul('cwd')
    .refine((path) => path.startsWith('/'), 'must be an absolute path')
    .optional(),
  env: z.record(environmentName, noNul('a value')).optional(),
  cols: side.optional(),
  rows: side.optional(),
  /** `dedicated`: a holder of its own. */
  isolation: z.enum(['shared', 'dedicated']).optional(),
  /** Processes left behind after the leader's exit live on. */
  keepBackground: z.boolean().optional(),
  ttlMs: z.int().min(0).optional(),
  title: z.string().max(200).optional(),
  labels: z.record(z.string().max(100), z.string().max(1000)).optional(),
});
export type CreateSession = z.infer<typeof createSessionSchema>;

export const exitSchema = z.union([z.object({ code: z.int() }), z.object({ signal: z.string() }), z.object({ lost: z.string() })]);
export type ExitView = z.infer<typeof exitSchema>;

export const sessionStateSchema = z.enum(['starting', 'running', 'unreachable', 'exited', 'lost']);

/** A process that outlived the session's leader. */
export const leftoverSchema = z.object({ pid: z.int(), command: z.string() });

export const capabilitiesSchema = z.object({
  /** Every byte while attached, the last before exit included. */
  exactOutput: z.boolean(),
  /** Every byte also across a restart of the supervisor. */
  exactAfterGap: z.boolean(),
  exitCode: z.boolean(),
});

export const sessionSchema = z.object({
  sessionId: idSchema,
  epoch: z.int().min(1),
  hostId: idSchema,
  backend: backendSchema,
  capabilities: capabilitiesSchema,
  state: sessionStateSchema,
  /** Of the leader; null before the spawn and once it ended. */
  pid: z.int().nullable(),
  cols: z.int(),
  rows: z.int(),
  /** ISO 8601. */
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  /** Output bytes since the epoch's start. */
  offset: z.int(),
  /** Oldest offset still readable. */
  earliestOffset: z.int(),
  owner: z.string(),
  taskId: idSchema.optional(),
  agentKind: agentKindSchema,
  command: z.array(z.string()),
  cwd: z.string(),
  title: z.string().optional(),
  labels: z.record(z.string(), z.string()),
  /** Present once the session ended. */
  exit: exitSchema.optional(),
  leftovers: z.array(leftoverSchema).optional(),
  /** Recording is off (a full disk): bytes flow, the journal has a hole. */
  recordingStopped: z.boolean().optional(),
});
export type Session = z.infer<typeof sessionSchema>;

export const listSessionsQuerySchema = z.object({
  owner: z.string().optional(),
  taskId: idSchema.optional(),
  state: sessionStateSchema.optional(),
  hostId: idSchema.optional(),
  /** Capped at 500, never refused. */
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .transform((n) => Math.min(n, 500))
    .optional(),
  cursor: z.string().max(200).optional(),
});
export type ListSessionsQuery = z.infer<typeof listSessionsQuerySchema>;

export const sessionListSchema = z.object({
  items: z.array(sessionSchema),
  nextCursor: z.string().optional(),
  incomplete: z.array(z.object({ hostId: z.string(), why: z.string() })).optional(),
});
export type SessionList = z.infer<typeof sessionListSchema>;

export const resizeSchema = z.strictObject({ cols: side, rows: side });

/** Key names and the bytes an xterm sends for them (normal cursor keys). */
export const KEY_BYTES: Readonly<Record<string, string>> = {
  Enter: '\r',
  Escape: '\x1b',
  Tab: '\t',
  BackTab: '\x1b[Z',
  Backspace: '\x7f',
  Space: ' ',
  Up: '\x1b[A',
  Down: '\x1b[B',
  Right: '\x1b[C',
  Left: '\x1b[D',
  Home: '\x1b[H',
  End: '\x1b[F',
  PageUp: '\x1b[5~',
  PageDown: '\x1b[6~',
  Insert: '\x1b[2~',
  Delete: '\x1b[3~',
  F1: '\x1bOP',
  F2: '\x1bOQ',
  F3: '\x1bOR',
  F4: '\x1bOS',
  F5: '\x1b[15~',
  F6: '\x1b[17~',
  F7: '\x1b[18~',
  F8: '\x1b[19~',
  F9: '\x1b[20~',
  F10: '\x1b[21~',
  F11: '\x1b[23~',
  F12: '\x1b[24~',
  ...Object.fromEntries(Array.from('abcdefghijklmnopqrstuvwxyz', (letter, index) => [`C-${letter}`, String.fromCharCode(index + 1)])),
};

const keyName = z.string().refine((name) => Object.hasOwn(KEY_BYTES, name), 'is no known key; see the key list');

/** Body of `POST /v1/sessions/:id/input` as JSON: exactly one of the three. */
export const inputSchema = z.union([
  z.strictObject({ text: z.string().min(1) }),
  z.strictObject({ paste: z.string().min(1) }),
  z.strictObject({ keys: z.array(keyName).min(1).max(1000) }),
]);
export type Input = z.infer<typeof inputSchema>;

/** One write is applied whole or refused; larger ones cannot be queued at all. */
export const MAX_INPUT_BYTES = 1024 * 1024;

export const inputAcceptedSchema = z.object({ accepted: z.int() });

export const killRequestSchema = z.strictObject({ graceMs: z.int().min(0).max(600_000).optional() });

/** What a kill did. The same report again when asked again. */
export const killReportSchema = z.object({
  sessionId: idSchema,
  epoch: z.int(),
  /** Processes that got a signal. */
  signalled: z.array(z.object({ pid: z.int(), command: z.string(), signals: z.array(z.string()) })),
  /** Processes still there after the last volley. */
  survivors: z.array(z.object({ pid: z.int(), command: z.string() })),
  exit: exitSchema.nullable(),
});
export type KillReport = z.infer<typeof killReportSchema>;

/** Bytes per `GET …/output` when no `limit` is given, and the most one call gives. */
export const DEFAULT_OUTPUT_BYTES = 8 * 1024 * 1024;
export const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
export const outputQuerySchema = z.object({
  from: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .transform((n) => Math.min(n, MAX_OUTPUT_BYTES))
    .optional(),
  epoch: z.coerce.number().int().min(1).optional(),
});
