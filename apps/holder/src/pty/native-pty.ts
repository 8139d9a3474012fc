/** node-pty's native binding, without its JavaScript: that part loses the tail of short commands and spins on full PTYs. */
import { invariant } from '@holdfast/kernel';

/** What the binding of node-pty 1.2.0-beta.15 offers on Linux; pinned, since it is no public API. */
export interface NativePty {
  /** Blocks for about 1 ms. `uid` and `gid` −1 keep ours. `onExit` is called on the event loop after waitpid(2). */
  fork(
    file: string,
    args: readonly string[],
    environment: readonly string[],
    cwd: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    utf8: boolean,
    helperPath: string,
    onExit: (code: number, signal: number) => void,
  ): { readonly fd: number; readonly pid: number; readonly pty: string };
  resize(fd: number, cols: number, rows: number, widthPixels: number, heightPixels: number): void;
}

export function loadNativePty(path: string): NativePty {
  const module: { exports: Partial<NativePty> } = { exports: {} };
  process.dlopen(module as unknown as NodeJS.Module, path);
  const { fork, resize } = module.exports;
  invariant(typeof fork === 'function' && typeof resize === 'function', `${path} is not node-pty's binding`);
  return module.exports as NativePty;
}
