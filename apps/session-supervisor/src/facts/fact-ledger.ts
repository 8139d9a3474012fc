/** Remembers on disk which facts the broker has, and keeps those it has not when their session is purged. */
import { sessionFactSchemas, type SessionFactVerb } from '@holdfast/contracts';
import { isId } from '@holdfast/kernel';
import { readJson, replaceFile, type StateLayout } from '@holdfast/platform-session-store';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { z } from 'zod';
import type { Manifest } from '../manifest/manifest.schema.js';
import { factsOf, type AnySessionFact } from './session-facts.js';

const sentSchema = z.object({ sent: z.array(z.string()) });
const factSchema = <V extends SessionFactVerb>(verb: V) =>
  z.object({ id: z.string(), verb: z.literal(verb), data: sessionFactSchemas[verb] });
const unsentSchema = z.array(
  z.discriminatedUnion('verb', [factSchema('started'), factSchema('exited'), factSchema('lost'), factSchema('reaped')]),
);

/** A mark that is lost in a crash of the machine, or cannot be read, sends a fact again: under the same id, so that nobody takes it twice. */
export class FactLedger {
  constructor(
    private readonly layout: StateLayout,
    private readonly hostId: string,
  ) {}

  /** Oldest first. */
  unsentOf(manifest: Manifest): readonly AnySessionFact[] {
    const sent = this.sentOf(manifest.sessionId);
    return factsOf(manifest, this.hostId).filter(({ id }) => !sent.includes(id));
  }

  markSent(sessionId: string, factId: string): void {
    const sent = [...new Set([...this.sentOf(sessionId), factId])];
    try {
      replaceFile(this.layout.sentFactsFile(sessionId), JSON.stringify({ sent }));
    } catch {
      /* Purged meanwhile, or a full disk: it is sent once more. */
    }
  }

  /** Call it before the session's files go. @throws the system error: then it must not be purged. */
  keepUnsent(manifest: Manifest): void {
    const unsent = this.unsentOf(manifest);
    if (unsent.length === 0) return;
    mkdirSync(this.layout.unsentFactsDir, { recursive: true, mode: 0o700 });
    replaceFile(this.layout.unsentFactsFile(manifest.sessionId), JSON.stringify(unsent));
  }

  /** Ids of purged sessions with facts that were kept. */
  purgedIds(): readonly string[] {
    try {
      return readdirSync(this.layout.unsentFactsDir).filter(isId);
    } catch {
      return [];
    }
  }

  keptOf(sessionId: string): readonly AnySessionFact[] {
    const parsed = unsentSchema.safeParse(this.jsonOf(this.layout.unsentFactsFile(sessionId)));
    return parsed.success ? (parsed.data as readonly AnySessionFact[]) : [];
  }

  /** All of them were sent. */
  dropKept(sessionId: string): void {
    rmSync(this.layout.unsentFactsFile(sessionId), { force: true });
  }

  private sentOf(sessionId: string): readonly string[] {
    const parsed = sentSchema.safeParse(this.jsonOf(this.layout.sentFactsFile(sessionId)));
    return parsed.success ? parsed.data.sent : [];
  }

  private jsonOf(file: string): unknown {
    try {
      return readJson(file);
    } catch {
      return undefined;
    }
  }
}
