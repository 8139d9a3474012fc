/** What a create asks for, with its defaults, and whether two creates ask for the same. */
import type { Backend, CreateSession } from '@holdfast/contracts';
import { DEFAULT_SIZE } from '@holdfast/domain-session';
import { isDeepStrictEqual } from 'node:util';

/** Owner of a create that names none and has no gateway that knows its token. */
export const DEFAULT_OWNER = 'operator:local';

export type SessionSpec = Omit<CreateSession, 'sessionId' | 'hostId'>;

export function specOf(create: CreateSession): SessionSpec {
  const { sessionId, hostId, ...spec } = create;
  void sessionId;
  void hostId;
  return spec;
}

export interface NormalisedSpec {
  readonly owner: string;
  readonly taskId: string | undefined;
  readonly backend: Backend;
  readonly agentKind: NonNullable<CreateSession['agentKind']>;
  readonly command: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly cols: number;
  readonly rows: number;
  readonly isolation: 'shared' | 'dedicated';
  readonly keepBackground: boolean;
  readonly ttlMs: number | undefined;
  readonly title: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

/** Absent and default are the same wish. `backend` is the one the session has, whatever is the default today. */
export function normaliseSpec(spec: SessionSpec, backend: Backend): NormalisedSpec {
  return {
    owner: spec.owner ?? DEFAULT_OWNER,
    taskId: spec.taskId,
    backend: spec.backend ?? backend,
    agentKind: spec.agentKind ?? 'command',
    command: spec.command,
    cwd: spec.cwd,
    env: spec.env ?? {},
    cols: spec.cols ?? DEFAULT_SIZE.cols,
    rows: spec.rows ?? DEFAULT_SIZE.rows,
    isolation: spec.isolation ?? 'shared',
    keepBackground: spec.keepBackground ?? false,
    ttlMs: spec.ttlMs,
    title: spec.title,
    labels: spec.labels ?? {},
  };
}

/** The order of keys says nothing; that of arguments does. */
export function isSameSpec(a: SessionSpec, b: SessionSpec, backend: Backend): boolean {
  return isDeepStrictEqual(normaliseSpec(a, backend), normaliseSpec(b, backend));
}
