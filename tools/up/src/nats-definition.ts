/** A NATS server of our own: loopback, a free port, a generated password, JetStream below the state directory. */
import { writeFileAtomic } from '@holdfast/platform-session-store';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { waitForListener } from './listener.js';
import type { ServiceDefinition } from './managed-service.js';
import { programEnvironment } from './service-environment.js';

/** What the streams may take together (1 GiB inbox, 2 GiB events) and room for the buckets. */
const JETSTREAM_FILE_BYTES = 4 * 1024 * 1024 * 1024;
const JETSTREAM_MEMORY_BYTES = 64 * 1024 * 1024;
const LOOK_EVERY_MS = 15;

export interface OwnNats {
  readonly definition: ServiceDefinition;
  /** With its credentials. Known once the server was ready for the first time. */
  url(): string;
}

/** `directory` holds its configuration (0600: the password never is on a command line) and its store. */
export function ownNats(program: string, directory: string, instance: string): OwnNats {
  const user = 'holdfast';
  const password = randomBytes(24).toString('hex');
  const portsFile = (pid: number): string => join(directory, `nats-server_${pid}.ports`);
  let port = -1;
  return {
    url: () => `nats://${user}:${password}@127.0.0.1:${port}`,
    definition: {
      name: 'nats',
      command: () => {
        mkdirSync(directory, { recursive: true, mode: 0o700 });
        const configuration = join(directory, 'nats.conf');
        writeFileAtomic(configuration, configurationText({ directory, instance, port, user, password }));
        return { program, arguments: ['-c', configuration], environment: programEnvironment(process.env), ipc: false };
      },
      ready: async (child, gaveUp) => {
        if (port === -1) {
          port = await readPort(portsFile(child.pid ?? 0), gaveUp);
          rmSync(portsFile(child.pid ?? 0), { force: true });
        }
        await waitForListener('127.0.0.1', port, gaveUp);
        return { url: `nats://127.0.0.1:${port}` };
      },
    },
  };
}

interface Settings {
  readonly directory: string;
  readonly instance: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

function configurationText({ directory, instance, port, user, password }: Settings): string {
  return [
    `server_name: "holdfast-${instance}"`,
    `listen: "127.0.0.1:${port}"`,
    ...(port === -1 ? [`ports_file_dir: ${JSON.stringify(directory)}`] : []),
    `jetstream { store_dir: ${JSON.stringify(join(directory, 'store'))}, max_file_store: ${JETSTREAM_FILE_BYTES}, max_memory_store: ${JETSTREAM_MEMORY_BYTES} }`,
    `authorization { user: "${user}", password: "${password}" }`,
    '',
  ].join('\n');
}

/** The server writes the port it was given by the kernel into this file once it listens. */
async function readPort(path: string, gaveUp: AbortSignal): Promise<number> {
  for (;;) {
    gaveUp.throwIfAborted();
    const url = urlIn(path);
    if (url !== undefined) return Number(new URL(url).port);
    await pause(LOOK_EVERY_MS);
  }
}

function urlIn(path: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { nats?: string[] }).nats?.[0];
  } catch {
    return undefined;
  }
}
