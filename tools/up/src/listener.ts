/** Who listens on a TCP port: waits for a server of ours, and finds out early that a port is somebody else's. */
import { ServiceError } from '@holdfast/kernel';
import { connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 15;
/** A gateway whose `up` was killed may still be closing. */
const FREE_WITHIN_MS = 6_000;

/** Resolves once something accepts connections; rejects when `gaveUp` aborts first. */
export async function waitForListener(host: string, port: number, gaveUp: AbortSignal): Promise<void> {
  while (!(await accepts(host, port))) {
    gaveUp.throwIfAborted();
    await pause(LOOK_EVERY_MS);
  }
}

/** @throws ServiceError `config.invalid` when the port cannot be bound, within 6 s or at once for another reason than being in use. */
export async function assertBindable(host: string, port: number): Promise<void> {
  const end = performance.now() + FREE_WITHIN_MS;
  for (;;) {
    const fault = await bindFault(host, port);
    if (fault === undefined) return;
    if (fault !== 'EADDRINUSE' || performance.now() >= end) {
      const why = fault === 'EADDRINUSE' ? 'another program listens there' : fault;
      throw new ServiceError(
        'config.invalid',
        `cannot listen on ${host} port ${port}: ${why} (choose another with --port or HOLDFAST_GATEWAY_PORT; 0 takes a free one)`,
      );
    }
    await pause(100);
  }
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

function bindFault(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port }, () => server.close(() => resolve(undefined)));
  });
}
