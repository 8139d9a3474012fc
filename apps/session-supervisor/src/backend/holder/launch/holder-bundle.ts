/** The holder's program: copied under the state directory once per build, so that an upgrade in place breaks no running holder. */
import { ServiceError } from '@holdfast/kernel';
import { HOLDER_PROGRAM, type StateLayout } from '@holdfast/platform-session-store';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The native PTY binding, looked for beside the bundle. */
const BINDING_FILE = 'pty.node';
const BUILD_ID_DIGITS = 16;

/** Where the workspace's build puts it, seen from this file in `src` or `dist`. */
export const DEFAULT_BUNDLE = fileURLToPath(new URL(`../../../../../holder/dist/${HOLDER_PROGRAM}`, import.meta.url));

export interface InstalledBundle {
  /** Names the build by its content: equal files, equal build. */
  readonly build: string;
}

/** @throws ServiceError `holder.start-failed` when the bundle is missing or cannot be copied. */
export function installBundle(bundle: string, layout: StateLayout): InstalledBundle {
  const files = [bundle, join(dirname(bundle), BINDING_FILE)];
  try {
    const build = buildOf(files);
    const target = layout.holderBuildDir(build);
    if (!existsSync(target)) copyTo(target, files);
    return { build };
  } catch (error) {
    throw new ServiceError('holder.start-failed', `cannot install the holder of ${bundle}: ${(error as Error).message}`, { cause: error });
  }
}

/** Also what a copy that was cut short left. Call it while nothing is being installed. */
export function removeBuildsExcept(used: ReadonlySet<string>, layout: StateLayout): void {
  const builds = existsSync(layout.holderBuildsDir) ? readdirSync(layout.holderBuildsDir) : [];
  for (const build of builds) if (!used.has(build)) rmSync(join(layout.holderBuildsDir, build), { recursive: true, force: true });
}

function buildOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, BUILD_ID_DIGITS);
}

/** The directory is whole or not there. */
function copyTo(target: string, files: readonly string[]): void {
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const temporary = mkdtempSync(`${target}.tmp-`);
  try {
    const [bundle, binding] = files as [string, string];
    copyFileSync(bundle, join(temporary, HOLDER_PROGRAM));
    copyFileSync(binding, join(temporary, BINDING_FILE));
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
}
