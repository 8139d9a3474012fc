/** Starts a session: everything that can be refused is refused before anything exists. */
import type { ExitRecord, SpawnSpec } from '@holdfast/attach-protocol';
import { MAX_TERMINAL_SIDE, childEnvironment } from '@holdfast/domain-session';
import { ServiceError, isId } from '@holdfast/kernel';
import { JournalWriter, processIdentity, writeFileAtomicAsync, type StateLayout } from '@holdfast/platform-session-store';
import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { resolveProgram } from '../pty/exec-preflight.js';
import type { NativePty } from '../pty/native-pty.js';
import { PtyProcess } from '../pty/pty-process.js';
import { HeldSession } from './held-session.js';
import type { SlabPool } from './output-gatherer.js';

/** How long a refused `exit.json` waits before it is written again. */
const SAVE_EXIT_RETRY_MS = 500;

export interface SpawnContext {
  readonly layout: StateLayout;
  readonly native: NativePty;
  readonly slabs: SlabPool;
  readonly inherited: Readonly<Record<string, string | undefined>>;
  readonly onOver: (session: HeldSession) => void;
  /** Files of exits that the disk has not taken yet: whoever keeps them must not end. */
  readonly unsavedExits: Set<string>;
}

/** @throws ServiceError the preflight's codes, `session.conflict` for an epoch that ran before, `session.spawn-failed` */
export async function spawnSession(spec: SpawnSpec, context: SpawnContext): Promise<{ session: HeldSession; cwd: string }> {
  checkSpec(spec);
  const environment = childEnvironment({ ...context, requested: spec.env, sessionId: spec.sessionId, mark: spec.mark });
  const cwd = spec.cwd ?? environment['HOME'] ?? '/';
  const program = resolveProgram(spec.command[0] as string, cwd, environment['PATH'] ?? '');
  const epochDir = context.layout.epochDir(spec.sessionId, spec.epoch);
  if (existsSync(epochDir)) throw new ServiceError('session.conflict', `epoch ${spec.epoch} of session ${spec.sessionId} ran before`);
  const start = { program, args: spec.command.slice(1), environment: { ...environment, PWD: cwd }, cwd, cols: spec.cols, rows: spec.rows };
  const journal = await openJournal(spec, epochDir, () => session);
  let session: HeldSession | undefined;
  try {
    session = new HeldSession({
      spec,
      slabs: context.slabs,
      journal,
      startPty: (handlers) => new PtyProcess(context.native, start, handlers),
      startTimeOf: (pid) => processIdentity(pid)?.startTime ?? 0,
      saveExit: (record) => saveExit(context.layout.exitFile(spec.sessionId, spec.epoch), record, context.unsavedExits),
      onOver: () => context.onOver(session as HeldSession),
    });
  } catch (error) {
    await journal.close();
    rmSync(epochDir, { recursive: true, force: true });
    throw new ServiceError('session.spawn-failed', `cannot start "${spec.command[0]}": ${(error as Error).message}`, { cause: error });
  }
  return { session, cwd };
}

/** The journal tells its session what became of the bytes; the session is made right after it. */
function openJournal(spec: SpawnSpec, epochDir: string, session: () => HeldSession | undefined): Promise<JournalWriter> {
  return JournalWriter.create({
    epochDir,
    cols: spec.cols,
    rows: spec.rows,
    quotaBytes: spec.journalBytes,
    now: () => Date.now(),
    onDurable: (offset) => session()?.durable(offset),
    onRecording: (stopped, offset) => session()?.recordingChanged(stopped, offset),
  });
}

/** Tries until the disk takes it, but waits only for the first try: the exit is told either way. */
async function saveExit(path: string, record: ExitRecord, unsaved: Set<string>): Promise<void> {
  const save = async (): Promise<void> => {
    await writeFileAtomicAsync(path, `${JSON.stringify(record)}\n`);
    unsaved.delete(path);
  };
  const again = (error: unknown): void => {
    unsaved.delete(path);
    // Purged meanwhile: nobody will ask any more.
    if (!existsSync(dirname(path))) return;
    unsaved.add(path);
    process.stderr.write(
      `${JSON.stringify({ level: 'warn', event: 'exit.not-saved', sessionId: record.sessionId, why: String(error) })}\n`,
    );
    setTimeout(() => save().catch(again), SAVE_EXIT_RETRY_MS);
  };
  await save().catch(again);
}

/** The starter checked all this for its users; here it guards exec(2) and the file system. */
function checkSpec(spec: SpawnSpec): void {
  const strings = [...spec.command, spec.cwd ?? '', spec.mark, ...Object.entries(spec.env).flat()];
  const valid =
    isId(spec.sessionId) &&
    Number.isInteger(spec.epoch) &&
    spec.epoch >= 1 &&
    spec.command.length > 0 &&
    spec.command[0] !== '' &&
    strings.every((text) => typeof text === 'string' && !text.includes('\0')) &&
    [spec.cols, spec.rows].every((side) => Number.isInteger(side) && side >= 1 && side <= MAX_TERMINAL_SIDE);
  if (!valid) throw new ServiceError('request.invalid', `the spawn of session ${String(spec.sessionId)} has a field out of range`);
}
