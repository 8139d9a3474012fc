/** Facts of a task in words: its status, command, history and reason. */
import type { SessionRecord, Task, TaskFact, TaskStatus } from '@holdfast/contracts';
import { commandText, exitText } from '../sessions/session-text.js';

export const AGENT_NAMES: Record<Task['agent']['kind'], string> = {
  command: 'Command',
  shell: 'Shell',
  'claude-code': 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini',
};

export const statusText = (status: TaskStatus) => status.replace('_', ' ');

/** What runs, as one would type it; a named agent by its name. */
export function agentText({ kind, args = [] }: Task['agent']): string {
  if (kind === 'command') return commandText(args);
  return args.length === 0 ? AGENT_NAMES[kind] : `${AGENT_NAMES[kind]} ${commandText(args)}`;
}

export function reasonText(reason: Task['reason']): string {
  if (reason === undefined) return '';
  return [reason.exit === undefined ? '' : exitText(reason.exit), reason.text ?? ''].filter((part) => part !== '').join(': ');
}

const FACT_TEXTS: Record<TaskFact['verb'], string> = {
  created: 'Created',
  launched: 'Launch asked for',
  started: 'Session started',
  completed: 'Completed',
  terminated: 'Terminated',
  cancelled: 'Cancelled',
  reopened: 'Reopened',
  progress: 'Progress',
  'needs-attention': 'Needs attention',
};
export const factText = (verb: TaskFact['verb']) => FACT_TEXTS[verb];

/** Who caused a fact. */
export function byText(by: string): string {
  if (by.startsWith('operator:')) return by.slice('operator:'.length);
  if (by.startsWith('session:')) return 'its session';
  return by === 'reaper' ? 'the reaper' : by;
}

/** What a person should know who looks after it. */
export function attentionText(task: Pick<Task, 'status' | 'reason'>): string {
  const reason = reasonText(task.reason);
  if (task.status === 'open') return `It could not be launched${reason === '' ? '' : `: ${reason}`}. Launch it again, or end it.`;
  const what = reason === '' ? 'Its session was lost, so nobody knows how the work ended' : reason;
  return `${what}. Decide what becomes of the task.`;
}

/** Those that need a person first; otherwise in the order they came. */
export function attentionFirst(tasks: readonly Task[]): readonly Task[] {
  return [...tasks.filter(({ needsAttention }) => needsAttention), ...tasks.filter(({ needsAttention }) => !needsAttention)];
}

/** Whether there ever was a session to look at: not while it starts, and not after a launch that was called off. */
export function hasTerminal({ lastStatus, startedAt, exit }: Pick<SessionRecord, 'lastStatus' | 'startedAt' | 'exit'>): boolean {
  if (lastStatus === 'starting') return false;
  return lastStatus !== 'aborted' || startedAt !== null || exit !== undefined;
}
