/** What a supervisor is told to start for a task. */
import type { CommandRequest } from '@holdfast/contracts';
import { assertNever } from '@holdfast/kernel';
import type { StoredTask } from '../tasks/task-store.port.js';

export type LaunchSpec = CommandRequest<'session-supervisor', 'launch'>['spec'];

const MAX_TITLE = 200;
/** The programs of the named agents, as they are found in the child's PATH. */
const PROGRAM = { 'claude-code': 'claude', codex: 'codex', gemini: 'gemini' } as const;

/** The same for every attempt: a supervisor that has the session already compares it. The backend is the host's choice. */
export function sessionSpec(task: StoredTask, sessionId: string): LaunchSpec {
  return {
    sessionId,
    owner: `task:${task.taskId}`,
    taskId: task.taskId,
    agentKind: task.agent.kind,
    command: commandOf(task.agent),
    title: task.title.slice(0, MAX_TITLE),
    ...(task.cwd === null ? {} : { cwd: task.cwd }),
    ...(task.environment === null ? {} : { env: { ...task.environment } }),
  };
}

/** For kind `command` the arguments are the whole argv, else they follow the agent's own. */
export function commandOf({ kind, args = [], model }: StoredTask['agent']): string[] {
  switch (kind) {
    case 'command':
      return args;
    case 'shell':
      return ['bash', ...args];
    case 'claude-code':
    case 'codex':
    case 'gemini':
      return [PROGRAM[kind], ...(model === undefined ? [] : ['--model', model]), ...args];
    default:
      return assertNever(kind);
  }
}
