/** The REST side of Holdfast, typed: each method is one call, answers are checked against the contracts. */
import {
  healthSchema,
  hostListSchema,
  inputAcceptedSchema,
  killReportSchema,
  reaperAuditSchema,
  reaperPlanSchema,
  reaperStatusSchema,
  sessionListSchema,
  sessionSchema,
  taskHistorySchema,
  taskListSchema,
  taskSchema,
  type CreateSession,
  type CreateTask,
  type Health,
  type HostList,
  type Input,
  type KillReport,
  type ListSessionsQuery,
  type ListTasksQuery,
  type ReaperAudit,
  type ReaperPlan,
  type ReaperStatus,
  type Session,
  type SessionList,
  type Task,
  type TaskHistory,
  type TaskList,
} from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import { DEFAULT_DEADLINE_MS, HttpTransport, type HttpCall, type HttpTransportOptions } from './http-transport.js';

/** `baseUrl` is the gateway's origin; `''` is the page's own. Without `token` the browser's cookie speaks for the caller. */
export type HoldfastClientOptions = HttpTransportOptions;

export interface ReadOutputOptions {
  /** First byte wanted; the oldest readable one when absent. */
  readonly from?: number;
  /** Bytes; the gateway caps it, so compare `nextOffset`. */
  readonly limit?: number;
  /** The newest when absent. */
  readonly epoch?: number;
}

export interface Output {
  readonly bytes: Uint8Array;
  /** Of the first byte. */
  readonly offset: number;
  /** Where to read on; equal to `offset` at the end. */
  readonly nextOffset: number;
}

export interface TaskChangeOptions {
  /** Kept with the task and in its history. */
  readonly reason?: string;
}

/** Raw bytes as they are, or text, a bracketed paste, or keys by name (`Enter`, `C-c`, `Up`). */
export type SendableInput = Uint8Array | Input;

/** The kill waits for the grace period, twice at worst, and then looks for survivors. */
const KILL_MARGIN_MS = 15_000;
const DEFAULT_GRACE_MS = 10_000;
/** A few MiB over a slow line. */
const OUTPUT_DEADLINE_MS = 60_000;

/** What the client needs of a schema: any of the contracts' has it. */
interface Parser<Value> {
  safeParse(value: unknown): { success: true; data: Value } | { success: false; error: { message: string } };
}

export class HoldfastClient {
  readonly #http: HttpTransport;

  constructor(options: HoldfastClientOptions) {
    this.#http = new HttpTransport(options);
  }

  health(): Promise<Health> {
    return this.#ask({ method: 'GET', path: '/v1/health' }, healthSchema);
  }

  /** Exchanges a token for the HttpOnly cookie of this browser. Wrong token: `auth.invalid`. */
  signIn(token: string): Promise<void> {
    return this.#http.nothing({ method: 'POST', path: '/v1/auth/session', body: { token } });
  }

  signOut(): Promise<void> {
    return this.#http.nothing({ method: 'DELETE', path: '/v1/auth/session' });
  }

  /** Starts a session. With a `sessionId` of the caller's it may be repeated: the same request gives the first session again. */
  createSession(spec: CreateSession): Promise<Session> {
    return this.#ask({ method: 'POST', path: '/v1/sessions', body: spec }, sessionSchema);
  }

  /** One page of sessions; `incomplete` names hosts that did not answer. */
  listSessions(query: ListSessionsQuery = {}): Promise<SessionList> {
    return this.#ask({ method: 'GET', path: '/v1/sessions', query }, sessionListSchema);
  }

  getSession(sessionId: string): Promise<Session> {
    return this.#ask({ method: 'GET', path: pathOf(sessionId) }, sessionSchema);
  }

  /** Recorded output from an offset. Pruned or lost bytes: `session.output-pruned`, `session.output-gap`, with offsets in `detail`. */
  async readOutput(sessionId: string, options: ReadOutputOptions = {}): Promise<Output> {
    const call: HttpCall = {
      method: 'GET',
      path: `${pathOf(sessionId)}/output`,
      query: { ...options },
      headers: { accept: 'application/octet-stream, application/problem+json' },
      deadlineMs: OUTPUT_DEADLINE_MS,
    };
    const { body, headers } = await this.#http.bytes(call);
    return { bytes: body, offset: offsetIn(headers, 'Holdfast-Offset'), nextOffset: offsetIn(headers, 'Holdfast-Next-Offset') };
  }

  /** Types into a session, whole or not at all; gives the number of bytes taken. */
  async sendInput(sessionId: string, input: SendableInput): Promise<{ accepted: number }> {
    return this.#ask({ method: 'POST', path: `${pathOf(sessionId)}/input`, body: input }, inputAcceptedSchema);
  }

  resize(sessionId: string, size: { readonly cols: number; readonly rows: number }): Promise<void> {
    return this.#http.nothing({ method: 'POST', path: `${pathOf(sessionId)}/resize`, body: size });
  }

  /** Ends the process tree, TERM first and KILL after `graceMs`; `purge` also removes journal and record. Again: the same report. */
  kill(sessionId: string, options: { readonly graceMs?: number; readonly purge?: boolean } = {}): Promise<KillReport> {
    const { graceMs, purge } = options;
    const deadlineMs = Math.max(DEFAULT_DEADLINE_MS, 2 * (graceMs ?? DEFAULT_GRACE_MS) + KILL_MARGIN_MS);
    const call: HttpCall = { method: 'DELETE', path: pathOf(sessionId), query: { purge: purge === true ? true : undefined }, deadlineMs };
    return this.#ask(graceMs === undefined ? call : { ...call, body: { graceMs } }, killReportSchema);
  }

  /**
   * Creates a task, and launches it with `launch: true`. With an `idempotencyKey` or a `taskId` it may be repeated: the same task again.
   * Busy: `task.queue-full`, `task.launch-rate` (`detail.retryAfterMs`).
   */
  createTask(task: CreateTask, options: { readonly idempotencyKey?: string } = {}): Promise<Task> {
    const { idempotencyKey } = options;
    const isRepeatable = idempotencyKey !== undefined || task.taskId !== undefined;
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    return this.#ask({ method: 'POST', path: '/v1/tasks', body: task, headers, isRepeatable }, taskSchema);
  }

  /** One page, newest first. */
  listTasks(query: ListTasksQuery = {}): Promise<TaskList> {
    return this.#ask({ method: 'GET', path: '/v1/tasks', query }, taskListSchema);
  }

  getTask(taskId: string): Promise<Task> {
    return this.#ask({ method: 'GET', path: taskPathOf(taskId) }, taskSchema);
  }

  /** The task's facts, oldest first. */
  getTaskHistory(taskId: string): Promise<TaskHistory> {
    return this.#ask({ method: 'GET', path: `${taskPathOf(taskId)}/events` }, taskHistorySchema);
  }

  /** Puts an open task in the launch queue; a quick launch is answered with its session. Elsewhere: `task.illegal-transition`. */
  launchTask(taskId: string): Promise<Task> {
    return this.#ask({ method: 'POST', path: `${taskPathOf(taskId)}/launch` }, taskSchema);
  }

  /** Ending a task stops its sessions. */
  completeTask(taskId: string, options: TaskChangeOptions = {}): Promise<Task> {
    return this.#changeTask(taskId, 'complete', options);
  }

  /** Ending a task stops its sessions. */
  terminateTask(taskId: string, options: TaskChangeOptions = {}): Promise<Task> {
    return this.#changeTask(taskId, 'terminate', options);
  }

  /** Ending a task stops its sessions. */
  cancelTask(taskId: string, options: TaskChangeOptions = {}): Promise<Task> {
    return this.#changeTask(taskId, 'cancel', options);
  }

  reopenTask(taskId: string, options: TaskChangeOptions = {}): Promise<Task> {
    return this.#changeTask(taskId, 'reopen', options);
  }

  reaperStatus(): Promise<ReaperStatus> {
    return this.#ask({ method: 'GET', path: '/v1/reaper' }, reaperStatusSchema);
  }

  /** What a sweep would do now; kills nothing. */
  reaperPlan(): Promise<ReaperPlan> {
    return this.#ask({ method: 'GET', path: '/v1/reaper/plan' }, reaperPlanSchema);
  }

  /** Sweeps now; gives what became of each session, or what was decided while kills still run. */
  sweep(): Promise<ReaperPlan> {
    return this.#ask({ method: 'POST', path: '/v1/reaper/sweep', isRepeatable: true }, reaperPlanSchema);
  }

  /** Verdicts that acted, newest first. */
  reaperAudit(options: { readonly limit?: number } = {}): Promise<ReaperAudit> {
    return this.#ask({ method: 'GET', path: '/v1/reaper/audit', query: { ...options } }, reaperAuditSchema);
  }

  /** Hosts as the gateway asked knows them. */
  listHosts(): Promise<HostList> {
    return this.#ask({ method: 'GET', path: '/v1/hosts' }, hostListSchema);
  }

  #changeTask(taskId: string, verb: 'complete' | 'terminate' | 'cancel' | 'reopen', options: TaskChangeOptions): Promise<Task> {
    return this.#ask({ method: 'POST', path: `${taskPathOf(taskId)}/${verb}`, body: { ...options } }, taskSchema);
  }

  async #ask<Value>(call: HttpCall, schema: Parser<Value>): Promise<Value> {
    const parsed = schema.safeParse(await this.#http.json(call));
    if (parsed.success) return parsed.data;
    throw new ServiceError('protocol.malformed', `${call.method} ${call.path}: unexpected answer: ${parsed.error.message}`);
  }
}

const pathOf = (sessionId: string) => `/v1/sessions/${encodeURIComponent(sessionId)}`;
const taskPathOf = (taskId: string) => `/v1/tasks/${encodeURIComponent(taskId)}`;

function offsetIn(headers: Headers, name: string): number {
  const value = headers.get(name);
  const offset = Number(value);
  if (value === null || !Number.isSafeInteger(offset)) throw new ServiceError('protocol.malformed', `header ${name} is no offset`);
  return offset;
}
