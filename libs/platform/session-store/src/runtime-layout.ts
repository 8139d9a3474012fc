/** Where the sockets are: names short enough for the kernel, in directories nobody else can enter. */
import { MAX_ID_LENGTH, ServiceError, invariant, isId } from '@holdfast/kernel';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** sun_path is 108 bytes with its NUL. Node cuts a longer path silently and would bind somewhere else. */
export const MAX_SOCKET_PATH_BYTES = 107;

export class RuntimeLayout {
  constructor(readonly runtimeDir: string) {}

  /** The supervisor's attach link. */
  get linkSocket(): string {
    return join(this.runtimeDir, 'supervisor.sock');
  }
  /** Where holders are started on request, in a container of their own. */
  get starterSocket(): string {
    return join(this.runtimeDir, 'starter.sock');
  }
  get holdersDir(): string {
    return join(this.runtimeDir, 'h');
  }
  holderSocket(holderId: string): string {
    return join(this.holdersDir, safeName(holderId));
  }
  get sessionsDir(): string {
    return join(this.runtimeDir, 's');
  }
  sessionSocket(sessionId: string): string {
    return join(this.sessionsDir, safeName(sessionId));
  }

  /**
   * Checks the longest path any id can give, before anything is created.
   * @throws ServiceError `config.socket-path-too-long` with the path's length and the limit.
   */
  assertFits(): void {
    const longest = join(this.sessionsDir, 'x'.repeat(MAX_ID_LENGTH));
    const bytes = Buffer.byteLength(longest);
    if (bytes <= MAX_SOCKET_PATH_BYTES) return;
    throw new ServiceError(
      'config.socket-path-too-long',
      `HOLDFAST_RUNTIME_DIR "${this.runtimeDir}" makes socket paths of up to ${bytes} bytes; the kernel takes ${MAX_SOCKET_PATH_BYTES}. ` +
        `Choose one of at most ${MAX_SOCKET_PATH_BYTES - (bytes - Buffer.byteLength(this.runtimeDir))} bytes, for example /run/holdfast`,
      { detail: { bytes, maxBytes: MAX_SOCKET_PATH_BYTES } },
    );
  }

  /** Makes the directories, mode 0700 whatever the umask. @throws ServiceError `config.invalid` when they cannot be made. */
  ensure(): void {
    try {
      for (const dir of [this.runtimeDir, this.holdersDir, this.sessionsDir]) {
        mkdirSync(dir, { recursive: true, mode: 0o700 });
        chmodSync(dir, 0o700);
      }
    } catch (error) {
      throw new ServiceError(
        'config.invalid',
        `HOLDFAST_RUNTIME_DIR "${this.runtimeDir}" cannot be used: ${(error as Error).message} (example: HOLDFAST_RUNTIME_DIR=/run/holdfast)`,
        { cause: error },
      );
    }
  }
}

function safeName(id: string): string {
  invariant(isId(id), `"${id}" is no id`);
  return id;
}
