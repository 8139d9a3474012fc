/** Starts a holder: reads its record, serves, tells its starter, and then lives by itself until nobody needs it. */
import { RuntimeLayout, StateLayout } from '@holdfast/platform-session-store';
import { closeSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Holder } from './holder.js';
import { closeInheritedDescriptors } from './pty/descriptor-table.js';
import { loadNativePty } from './pty/native-pty.js';
import { selfTestPipeHandle } from './pty/pipe-handle.js';

/** The starter waits on this descriptor for "ready". */
const READY_FD = 3;

interface HolderRecord {
  readonly holderId: string;
  readonly nonce: string;
  readonly build: string;
  readonly capacity: number;
  readonly stateDir: string;
  readonly runtimeDir: string;
}

async function main(): Promise<void> {
  const [, script, recordFile] = process.argv;
  if (!script || !recordFile) throw new Error('usage: holder.cjs RECORD.json');
  const record = JSON.parse(readFileSync(recordFile, 'utf8')) as HolderRecord;
  selfTestPipeHandle();
  const holder = new Holder({
    ...record,
    state: new StateLayout(record.stateDir),
    runtime: new RuntimeLayout(record.runtimeDir),
    native: loadNativePty(join(dirname(script), 'pty.node')),
    inherited: process.env,
    onUnneeded: () => process.exit(0),
  });
  surviveSignals(holder);
  await holder.start();
  tellStarter();
  closeInheritedDescriptors();
}

/** A terminal that closes or a service manager that stops everything must not end what sessions live in. */
function surviveSignals(holder: Holder): void {
  process.on('SIGHUP', () => undefined);
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => {
    if (holder.liveSessions === 0) process.exit(0);
  });
  // One session's fault must not take its neighbours along.
  process.on('uncaughtException', (error) => process.stderr.write(`${JSON.stringify({ level: 'error', message: error.stack })}\n`));
}

function tellStarter(): void {
  try {
    writeSync(READY_FD, 'ready\n');
    closeSync(READY_FD);
  } catch {
    // nobody waits
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${JSON.stringify({ level: 'fatal', message: error instanceof Error ? error.stack : String(error) })}\n`);
  process.exit(1);
});
