/** A NATS server of our own: loopback, a free port, a generated password, JetStream below the state directory. */
import { ServiceError } from '@holdfast/kernel';
import { readText, writeFileAtomic } from '@holdfast/platform-session-store';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BrokerRecord } from './broker-record.js';
import { waitForListener } from './listener.js';
import type { ServiceDefinition } from './managed-service.js';
import { programEnvironment } from './service-environment.js';

/** What the streams may take together (1 GiB inbox, 2 GiB events) and room for the buckets. */
const JETSTREAM_FILE_BYTES = 4 * 1024 * 1024 * 1024;
const JETSTREAM_MEMORY_BYTES = 64 * 1024 * 1024;
const USER = 'holdfast';
const KEPT_PASSWORD = /password: "([0-9a-f]{48})"/;
/** What the server logs once it listens on the port the kernel gave it. Its file of ports would need a disk with room. */
const LISTENING = /Listening for client connections on \S*:(\d+)\r?\n/;

export interface OwnNats {
  readonly definition: ServiceDefinition;
  /** With its credentials. Known once the server was ready for the first time. */
  url(): string;
  /** To be awaited before the first start. Resolves once no broker of a killed `up` is on the store. @throws ServiceError `instance.in-use` */
  endPredecessor(): Promise<void>;
  /** To be called when the server has ended for good. */
  forget(): void;
}

export interface NatsPlan {
  readonly program: string;
  /** Holds its configuration (0600: the password never is on a command line) and its store. */
  readonly directory: string;
  readonly instance: string;
  /** A line for the person in front of the terminal. */
  readonly report: (line: string) => void;
}

export function ownNats({ program, directory, instance, report }: NatsPlan): OwnNats {
  const configuration = join(directory, 'nats.conf');
  const password = KEPT_PASSWORD.exec(readText(configuration) ?? '')?.[1] ?? randomBytes(24).toString('hex');
  const record = new BrokerRecord(join(directory, 'nats.pid.json'), report);
  let port = -1;
  return {
    url: () => `nats://${USER}:${password}@127.0.0.1:${port}`,
    endPredecessor: () => record.endPredecessor(),
    forget: () => record.remove(),
    definition: {
      name: 'nats',
      command: () => {
        mkdirSync(directory, { recursive: true, mode: 0o700 });
        writeUnlessThere(configuration, configurationText({ directory, instance, password }));
        return {
          program,
          arguments: ['-c', configuration, '-p', String(port)],
          environment: programEnvironment(process.env),
          ipc: false,
          // One that hangs while it stops would stay on the store beside the next one; the store recovers from a kill.
          deathSignal: 'SIGKILL',
        };
      },
      ready: async (child, gaveUp) => {
        record.set(child.pid ?? 0);
        if (port === -1) port = await readPort(child, gaveUp);
        await waitForListener('127.0.0.1', port, gaveUp);
        return { url: `nats://127.0.0.1:${port}` };
      },
    },
  };
}

interface Settings {
  readonly directory: string;
  readonly instance: string;
  readonly password: string;
}

/** The same at every start, so that a full disk does not keep a server from starting again. */
function configurationText({ directory, instance, password }: Settings): string {
  return [
    `server_name: "holdfast-${instance}"`,
    'listen: "127.0.0.1:-1"',
    `jetstream { store_dir: ${JSON.stringify(join(directory, 'store'))}, max_file_store: ${JETSTREAM_FILE_BYTES}, max_memory_store: ${JETSTREAM_MEMORY_BYTES} }`,
    `authorization { user: "${USER}", password: "${password}" }`,
    '',
  ].join('\n');
}

function writeUnlessThere(path: string, text: string): void {
  if (readText(path) !== text) writeFileAtomic(path, text);
  chmodSync(path, 0o600);
}

/** Reads beside whoever logs the same output. */
function readPort(child: ChildProcess, gaveUp: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = '';
    const read = (chunk: Buffer): void => {
      said += chunk.toString('latin1');
      const port = LISTENING.exec(said)?.[1];
      if (port === undefined) return;
      child.stderr?.off('data', read);
      resolve(Number(port));
    };
    child.stderr?.on('data', read);
    gaveUp.addEventListener('abort', () => reject(new ServiceError('internal', 'ended before it listened')), { once: true });
  });
}
