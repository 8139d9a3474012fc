/** Starts holders on request where sessions are to run and the supervisor is not: the main process of the session-holder container. */
import { ServiceError, isId } from '@holdfast/kernel';
import { RuntimeLayout, StateLayout, startHolderProcess } from '@holdfast/platform-session-store';
import type { Socket } from 'node:net';
import { ListeningSocket } from './protocol/listening-socket.js';
import { Peer } from './protocol/peer.js';
import { TermGuard } from './protocol/term-guard.js';

/** How often the socket's path is looked after. */
const UPKEEP_MS = 1_000;

async function main(): Promise<void> {
  const { HOLDFAST_STATE_DIR: stateDir, HOLDFAST_RUNTIME_DIR: runtimeDir } = process.env;
  if (!stateDir || !runtimeDir)
    throw new ServiceError('config.invalid', 'HOLDFAST_STATE_DIR and HOLDFAST_RUNTIME_DIR must be set, for example /state');
  const layout = new StateLayout(stateDir);
  const runtime = new RuntimeLayout(runtimeDir);
  runtime.assertFits();
  runtime.ensure();
  const terms = new TermGuard();
  const listening = new ListeningSocket(runtime.starterSocket, (socket) => serve(socket, layout, terms));
  await listening.listen();
  setInterval(() => void listening.restore().catch(() => undefined), UPKEEP_MS);
  // Holders live on: they are detached, and the next starter needs nothing from this one.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
}

function serve(socket: Socket, layout: StateLayout, terms: TermGuard): void {
  const peer = new Peer(
    socket,
    terms,
    { build: 'starter', features: ['start'], facts: {} },
    {
      request: async (verb, args) => {
        if (verb !== 'start') throw new ServiceError('protocol.unknown-verb', `a starter knows no verb "${verb}"`);
        const { holderId, build } = args;
        if (!isId(holderId) || !isId(build)) throw new ServiceError('request.invalid', 'start needs holderId and build');
        return { pid: await startHolderProcess({ layout, holderId, build, environment: process.env }) };
      },
      write: () => {
        throw new ServiceError('protocol.unknown-verb', 'a starter takes no input');
      },
      closed: () => undefined,
    },
  );
  void peer;
}

main().catch((error: unknown) => {
  process.stderr.write(`${JSON.stringify({ level: 'fatal', message: error instanceof Error ? error.message : String(error) })}\n`);
  process.exit(1);
});
