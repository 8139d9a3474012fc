/** Manifests and tombstones on disk: whole or not there, each session on its own. */
import { ServiceError, isId } from '@holdfast/kernel';
import {
  readJson,
  replaceFile,
  syncPaths,
  writeFileAtomic,
  writeFileAtomicAsync,
  type StateLayout,
} from '@holdfast/platform-session-store';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { manifestSchema, tombstoneSchema, type Manifest, type Tombstone } from './manifest.schema.js';

export interface LoadedManifests {
  readonly manifests: readonly Manifest[];
  /** Ids whose manifest could not be read; it was moved aside as `session.json.corrupt`. */
  readonly corrupt: readonly string[];
}

export class ManifestRepository {
  /** Called with every manifest that was written, or should have been but for the disk. */
  onChange: (manifest: Manifest) => void = () => {};
  /** The last write begun, by session: writes of one session go in order. */
  private readonly writing = new Map<string, Promise<void>>();

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

  /**
   * Writes the manifest of a session that is being made, without waiting for the disk: from its return on it survives our death, and a
   * dead machine has no processes left to know of. `sync` makes it durable. Not to be mixed with a `save` under way.
   * @throws ServiceError `storage.failed`.
   */
  writeAhead(manifest: Manifest): void {
    const { sessionId } = manifest;
    try {
      mkdirSync(this.layout.sessionDir(sessionId), { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new ServiceError('storage.failed', `cannot make the directory of session ${sessionId}`, { cause: error });
    }
    replaceFile(this.layout.manifestFile(sessionId), JSON.stringify(manifest));
    this.onChange(manifest);
  }

  /** Durable when it resolves. @throws ServiceError `storage.failed`. */
  sync(sessionId: string): Promise<void> {
    return syncPaths([this.layout.manifestFile(sessionId), this.layout.sessionDir(sessionId), this.layout.sessionsDir]);
  }

  /** Durable when it resolves; the event loop goes on meanwhile. @throws ServiceError `storage.failed`. */
  save(manifest: Manifest): Promise<void> {
    const { sessionId } = manifest;
    const before = this.writing.get(sessionId) ?? Promise.resolve();
    const write = (): Promise<void> => writeFileAtomicAsync(this.layout.manifestFile(sessionId), JSON.stringify(manifest));
    const work = before.then(write, write).finally(() => {
      if (this.writing.get(sessionId) === work) this.writing.delete(sessionId);
      this.onChange(manifest);
    });
    this.writing.set(sessionId, work);
    return work;
  }

  /** Resolves when nothing is being written any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.writing.values());
  }

  /** Removes everything of a session: manifest first, so that a crash between leaves no session. */
  async remove(sessionId: string): Promise<void> {
    await this.writing.get(sessionId)?.catch(() => undefined);
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
