/** One HTTP call to the gateway: deadline, credentials, and every failure as a `ServiceError`. */
import { isErrorCode, ServiceError, type ErrorDetail } from '@holdfast/kernel';

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** From the base address, with a leading slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Bytes travel as `application/octet-stream`, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly deadlineMs?: number;
  /** Sent twice it does what it does once. A GET always is. */
  readonly isRepeatable?: boolean;
}

export interface HttpTransportOptions {
  readonly baseUrl: string;
  readonly token?: string;
  /** Stand-in for the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** What an ordinary call may take, in milliseconds, before it fails with `deadline.exceeded`. */
export const DEFAULT_DEADLINE_MS = 15_000;

export class HttpTransport {
  readonly #options: HttpTransportOptions;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
  }

  async json(call: HttpCall): Promise<unknown> {
    return (await this.#send(call, async (response) => (await response.json()) as unknown)).body;
  }

  async nothing(call: HttpCall): Promise<void> {
    await this.#send(call, (response) => response.arrayBuffer());
  }

  async bytes(call: HttpCall): Promise<{ body: Uint8Array; headers: Headers }> {
    const { body, headers } = await this.#send(call, (response) => response.arrayBuffer());
    return { body: new Uint8Array(body), headers };
  }

  async #send<Body>(call: HttpCall, read: (response: Response) => Promise<Body>): Promise<{ body: Body; headers: Headers }> {
    const deadlineMs = call.deadlineMs ?? DEFAULT_DEADLINE_MS;
    const what = `${call.method} ${call.path}`;
    try {
      const send = this.#options.fetch ?? globalThis.fetch.bind(globalThis);
      const response = await send(this.#address(call), { ...this.#request(call), signal: AbortSignal.timeout(deadlineMs) });
      if (!response.ok) throw await problemOf(response, what);
      return { body: await read(response), headers: response.headers };
    } catch (thrown) {
      throw asServiceError(thrown, call, deadlineMs);
    }
  }

  #address(call: HttpCall): string {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(call.query ?? {})) if (value !== undefined) query.set(name, String(value));
    const search = query.size > 0 ? `?${query.toString()}` : '';
    return `${this.#options.baseUrl.replace(/\/+$/, '')}${call.path}${search}`;
  }

  #request(call: HttpCall): RequestInit {
    const headers: Record<string, string> = { accept: 'application/json', ...call.headers };
    if (this.#options.token !== undefined) headers['authorization'] = `Bearer ${this.#options.token}`;
    const init: RequestInit = { method: call.method, headers, credentials: 'same-origin', cache: 'no-store' };
    if (call.body instanceof Uint8Array) {
      headers['content-type'] = 'application/octet-stream';
      return { ...init, body: new Uint8Array(call.body) };
    }
    if (call.body === undefined) return init;
    headers['content-type'] = 'application/json';
    return { ...init, body: JSON.stringify(call.body) };
  }
}

function asServiceError(thrown: unknown, call: HttpCall, deadlineMs: number): ServiceError {
  const what = `${call.method} ${call.path}`;
  if (thrown instanceof ServiceError) return thrown;
  const name = typeof thrown === 'object' && thrown !== null && 'name' in thrown ? thrown.name : undefined; // A DOMException is not always an Error.
  if (name === 'TimeoutError') {
    return new ServiceError('deadline.exceeded', `${what}: no answer within ${deadlineMs} ms`, { detail: { deadlineMs }, cause: thrown });
  }
  if (name === 'SyntaxError') return new ServiceError('protocol.malformed', `${what}: the answer is no JSON`, { cause: thrown });
  return new ServiceError('host.unreachable', `${what}: the gateway cannot be reached`, {
    retry: call.method === 'GET' || call.isRepeatable === true ? 'safe' : 'unknown',
    cause: thrown,
  });
}

/** Members of a problem that are said elsewhere in a `ServiceError`. */
const SPOKEN_FOR = new Set(['type', 'title', 'status', 'detail', 'instance', 'code', 'retry', 'errors']);

async function problemOf(response: Response, what: string): Promise<ServiceError> {
  const text = await response.text();
  const problem = parseProblem(text);
  const code = problem['code'];
  const said = typeof problem['detail'] === 'string' ? problem['detail'] : `${what}: HTTP ${response.status}`;
  if (!isErrorCode(code)) return new ServiceError(codeOfStatus(response.status), said, { detail: { status: response.status } });
  const retry = problem['retry'];
  return new ServiceError(code, said, {
    ...(retry === 'never' || retry === 'safe' || retry === 'unknown' ? { retry } : {}),
    ...detailOf(problem),
  });
}

function parseProblem(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {}; // A proxy's HTML page, or nothing: the status says what there is to say.
  }
}

/** For answers that are none of the gateway's: a proxy in between, an older build. */
function codeOfStatus(status: number): 'auth.required' | 'route.not-found' | 'host.unreachable' | 'internal' {
  if (status === 401) return 'auth.required';
  if (status === 404) return 'route.not-found';
  return status === 502 || status === 503 || status === 504 ? 'host.unreachable' : 'internal';
}

function detailOf(problem: Record<string, unknown>): { detail?: ErrorDetail } {
  const detail: Record<string, ErrorDetail[string]> = {};
  for (const [name, value] of Object.entries(problem)) if (!SPOKEN_FOR.has(name) && isDetail(value)) detail[name] = value;
  const faults = problem['errors'];
  if (Array.isArray(faults))
    detail['errors'] = faults.map((fault: { path?: unknown; message?: unknown }) => `${String(fault.path)}: ${String(fault.message)}`);
  return Object.keys(detail).length === 0 ? {} : { detail };
}

function isDetail(value: unknown): value is ErrorDetail[string] {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string') || value.every((item) => typeof item === 'number');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
