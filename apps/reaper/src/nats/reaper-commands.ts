/** Serves `cmd.reaper.*`: status, dry run, sweep now, audit. */
import { subjectRoot, type ReaperPlan } from '@holdfast/contracts';
import { CommandServer, type CommandHandlers, type EventBus, type ReportProblem } from '@holdfast/platform-messaging';
import type { AuditFile } from '../audit/audit-file.adapter.js';
import type { Log } from '@holdfast/platform-observability';
import type { Sweeper } from '../sweep/sweeper.js';

/** A sweep that still waits for kills after this is answered with what it decided; it goes on, and the audit tells its end. */
export const SWEEP_ANSWER_MS = 2_500;
const DEFAULT_AUDIT_ENTRIES = 100;

export interface ReaperCommandsOptions {
  readonly bus: EventBus;
  readonly instance: string;
  readonly sweeper: Sweeper;
  readonly audit: AuditFile;
  readonly log: Log;
  readonly onProblem: ReportProblem;
}

export function serveReaperCommands({ bus, instance, sweeper, audit, log, onProblem }: ReaperCommandsOptions): CommandServer<'reaper'> {
  const handlers: CommandHandlers<'reaper'> = {
    status: () => Promise.resolve(sweeper.status()),
    plan: () => sweeper.plan(),
    sweep: ({ by }) => {
      log.info('reaper.sweep-asked', { by });
      return sweptOrPlanned(sweeper);
    },
    audit: async ({ limit }) => ({ items: await audit.newest(limit ?? DEFAULT_AUDIT_ENTRIES) }),
  };
  return CommandServer.start({ bus, root: subjectRoot(instance), service: 'reaper', handlers, onProblem });
}

function sweptOrPlanned(sweeper: Sweeper): Promise<ReaperPlan> {
  let decided: ReaperPlan | undefined;
  let timer: NodeJS.Timeout | undefined;
  const sweep = sweeper.sweep((plan) => {
    decided = plan;
  });
  const inTime = new Promise<ReaperPlan>((resolve, reject) => {
    timer = setTimeout(() => void Promise.resolve(decided ?? sweeper.plan()).then(resolve, reject), SWEEP_ANSWER_MS);
  });
  return Promise.race([sweep, inTime]).finally(() => clearTimeout(timer));
}
