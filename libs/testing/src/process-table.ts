/** Reads the kernel's process and socket tables: children of a process, whether one still runs, sockets that listen. */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** False for a zombie too: it runs no more, somebody only has not asked for its exit yet. */
export function isRunning(pid: number): boolean {
  return stateOf(pid) !== undefined && stateOf(pid) !== 'Z';
}

/**
 * Sends SIGSTOP and returns once every thread has stopped: right after the signal alone a thread on another CPU may still answer.
 * Spins for at most a second, since a thread in an uninterruptible wait stops late.
 */
export function stopProcess(pid: number): void {
  process.kill(pid, 'SIGSTOP');
  const end = performance.now() + 1_000;
  while (performance.now() < end && threadStatesOf(pid).some((state) => !'TtZX'.includes(state)));
}

/** Pids of the living direct children. */
export function childPidsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' '))
      .filter((text) => text !== '')
      .map(Number)
      .filter(isRunning);
  } catch {
    return [];
  }
}

/** How many TCP and unix sockets this process listens on. */
export function listeningSocketCount(pid: number): number {
  const listening = new Set([...tcpListeners('tcp'), ...tcpListeners('tcp6'), ...unixListeners()]);
  return socketInodesOf(pid).filter((inode) => listening.has(inode)).length;
}

function stateOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
  } catch {
    return undefined;
  }
}

function threadStatesOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => stateOf(Number(thread)) ?? 'X');
  } catch {
    return [];
  }
}

/** State 0A is LISTEN; column 10 is the inode. */
function tcpListeners(table: 'tcp' | 'tcp6'): string[] {
  return rowsOf(`/proc/net/${table}`)
    .filter((columns) => columns[3] === '0A')
    .map((columns) => columns[9] ?? '');
}

/** Flag 0x10000 is __SO_ACCEPTCON; column 7 is the inode. */
function unixListeners(): string[] {
  return rowsOf('/proc/net/unix')
    .filter((columns) => (Number.parseInt(columns[3] ?? '0', 16) & 0x10000) !== 0)
    .map((columns) => columns[6] ?? '');
}

function rowsOf(path: string): string[][] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/));
  } catch {
    return [];
  }
}

function socketInodesOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${descriptor}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
}
