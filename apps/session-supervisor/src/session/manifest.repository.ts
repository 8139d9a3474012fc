/** Manifests and tombstones on disk: whole or not there, each session on its own. */
import { ServiceError, isId } from '@holdfast/kernel';
import { readJson, writeFileAtomic, type StateLayout } from '@holdfast/platform-session-store';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { manifestSchema, tombstoneSchema, type Manifest, type Tombstone } from './manifest.schema.js';

export interface LoadedManifests {
  readonly manifests: readonly Manifest[];
  /** Ids whose manifest could not be read; it was moved aside as `session.json.corrupt`. */
  readonly corrupt: readonly string[];
}

export class ManifestRepository {
  constructor(private readonly layout: StateLayout) {}

  loadAll(): LoadedManifests {
    for (const dir of [this.layout.sessionsDir, this.layout.tombstonesDir]) mkdirSync(dir, { recursive: true, mode: 0o700 });
    const manifests: Manifest[] = [];
    const corrupt: string[] = [];
    for (const sessionId of readdirSync(this.layout.sessionsDir).filter(isId)) {
      const file = this.layout.manifestFile(sessionId);
      if (!existsSync(file)) continue;
      const manifest = readManifest(file, sessionId);
      if (manifest) manifests.push(manifest);
      else corrupt.push(sessionId);
    }
    for (const sessionId of corrupt) renameSync(this.layout.manifestFile(sessionId), `${this.layout.manifestFile(sessionId)}.corrupt`);
    return { manifests, corrupt };
  }

  /** Durable when it returns; blocks for two fsyncs. @throws ServiceError `storage.failed`. */
  save(manifest: Manifest): void {
    try {
      mkdirSync(this.layout.sessionDir(manifest.sessionId), { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new ServiceError('storage.failed', `cannot make the directory of session ${manifest.sessionId}`, { cause: error });
    }
    writeFileAtomic(this.layout.manifestFile(manifest.sessionId), JSON.stringify(manifest), 0o600);
  }

  /** Removes everything of a session: manifest first, so that a crash between leaves no session. */
  remove(sessionId: string): void {
    rmSync(this.layout.manifestFile(sessionId), { force: true });
    rmSync(this.layout.sessionDir(sessionId), { recursive: true, force: true });
  }

  /** Written before the session's files go: its id is never given again. */
  bury(tombstone: Tombstone): void {
    writeFileAtomic(this.layout.tombstoneFile(tombstone.sessionId), JSON.stringify(tombstone), 0o600);
  }

  /** A tombstone that cannot be read still says that the id was used. */
  tombstoneOf(sessionId: string): Tombstone | undefined {
    const file = this.layout.tombstoneFile(sessionId);
    if (!existsSync(file)) return undefined;
    const parsed = tombstoneSchema.safeParse(jsonOf(file));
    return parsed.success ? parsed.data : { sessionId, epoch: 1, purgedAt: '' };
  }

  /** True when files of that id are there without a manifest: a corrupt one, moved aside. */
  hasRemains(sessionId: string): boolean {
    return existsSync(this.layout.sessionDir(sessionId));
  }
}

function readManifest(file: string, sessionId: string): Manifest | undefined {
  const parsed = manifestSchema.safeParse(jsonOf(file));
  return parsed.success && parsed.data.sessionId === sessionId ? parsed.data : undefined;
}

function jsonOf(file: string): unknown {
  try {
    return readJson(file);
  } catch {
    return undefined;
  }
}
