/** What was typed into the form becomes a task, or what is wrong in which field. */
import type { CreateTask } from '@holdfast/contracts';
import { splitCommandLine } from '../../sessions/command-line.js';

export interface NewTaskFields {
  readonly title: string;
  readonly kind: CreateTask['agent']['kind'];
  /** The whole command line for kind `command`, else further arguments. */
  readonly args: string;
  readonly cwd: string;
  readonly launch: boolean;
}

export type FieldFaults = Partial<Record<keyof NewTaskFields, string>>;

export type NewTask = { readonly ok: true; readonly task: CreateTask } | { readonly ok: false; readonly faults: FieldFaults };

export function newTaskOf({ title, kind, args, cwd, launch }: NewTaskFields): NewTask {
  const isOptional = kind !== 'command';
  const line = isOptional && args.trim() === '' ? { ok: true as const, argv: [] } : splitCommandLine(args);
  const faults: FieldFaults = {
    ...(title.trim() === '' ? { title: 'say what is to be done' } : {}),
    ...(line.ok ? {} : { args: line.why }),
    ...(cwd.trim() === '' || cwd.trim().startsWith('/') ? {} : { cwd: 'must be an absolute path' }),
  };
  if (!line.ok || Object.keys(faults).length > 0) return { ok: false, faults };
  return {
    ok: true,
    task: {
      title: title.trim(),
      agent: { kind, ...(line.argv.length === 0 ? {} : { args: line.argv }) },
      ...(cwd.trim() === '' ? {} : { cwd: cwd.trim() }),
      ...(launch ? { launch } : {}),
    },
  };
}
