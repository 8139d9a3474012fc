/** A real nats-server with JetStream for tests: free port, own store, own credentials; can be stopped, frozen and restarted. */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { launch, type LaunchedProcess } from './launched-process.js';
import { stopProcess } from './process-table.js';
import { createTempDirectory } from './temp-directory.js';
import { waitFor } from './wait-for.js';

export interface NatsServerOptions {
  /** Default true: a generated user and password are required. */
  readonly credentials?: boolean;
}

export interface NatsServer extends AsyncDisposable {
  /** Carries the credentials, if any; the same after a restart. */
  readonly url: string;
  /** The same as options for the client, which does not read credentials from a URL. */
  readonly login: { readonly servers: string; readonly user?: string; readonly pass?: string };
  readonly port: number;
  /** Of the running server. */
  pid(): number;
  /** SIGTERM, and waits for its end. The store stays. */
  stop(): Promise<void>;
  /** SIGKILL when it runs, then starts it again on the same port and store. */
  restart(): Promise<void>;
  /** SIGSTOP: connections stay open, nothing answers. */
  freeze(): void;
  /** SIGCONT. */
  thaw(): void;
}

/** Resolves once the server accepts connections. */
export async function startNatsServer(options: NatsServerOptions = {}): Promise<NatsServer> {
  const directory = await createTempDirectory();
  const password = (options.credentials ?? true) ? randomBytes(16).toString('hex') : undefined;
  let running = await run(directory.path, -1, password);
  const port = await portOf(directory.path, running);
  return {
    port,
    url: password === undefined ? `nats://127.0.0.1:${port}` : `nats://test:${password}@127.0.0.1:${port}`,
    login: { servers: `127.0.0.1:${port}`, ...(password === undefined ? {} : { user: 'test', pass: password }) },
    pid: () => running.pid,
    freeze: () => stopProcess(running.pid),
    thaw: () => running.kill('SIGCONT'),
    async stop() {
      running.kill('SIGCONT');
      running.kill('SIGTERM');
      await running.exit;
    },
    async restart() {
      await running[Symbol.asyncDispose]();
      running = await run(directory.path, port, password);
      await portOf(directory.path, running);
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function run(directory: string, port: number, password: string | undefined): Promise<LaunchedProcess> {
  const configuration = join(directory, 'nats.conf');
  const authorization = password === undefined ? '' : `authorization { user: test, password: "${password}" }\n`;
  await writeFile(
    configuration,
    `listen: "127.0.0.1:${port}"\nports_file_dir: "${directory}"\njetstream { store_dir: "${directory}/store" }\n${authorization}`,
    { mode: 0o600 },
  );
  return launch('nats-server', { arguments: ['-c', configuration] });
}

/** The server writes the ports it got into a file named after its pid once it listens. */
function portOf(directory: string, server: LaunchedProcess): Promise<number> {
  return waitFor(
    async () => {
      const ports = JSON.parse(await readFile(join(directory, `nats-server_${server.pid}.ports`), 'utf8')) as { nats?: string[] };
      const url = ports.nats?.[0];
      return url === undefined ? undefined : Number(new URL(url).port);
    },
    { what: 'nats-server listens' },
  ).catch((error: unknown) => {
    throw new Error(`nats-server did not start: ${server.stderr()}`, { cause: error });
  });
}
