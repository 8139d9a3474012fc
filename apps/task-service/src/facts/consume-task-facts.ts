/** The two streams the task service reads: facts about sessions, and what other services ask for. */
import { factSubjects } from '@holdfast/contracts';
import { consumeFacts, type FactConsumption, type InstanceStreams, type ReportProblem } from '@holdfast/platform-messaging';
import { InboxHandler } from '../inbox/inbox.handler.js';
import type { TaskCore } from '../task-core.js';
import type { StoredTask } from '../tasks/task-store.port.js';
import { SessionFactsHandler } from './session-facts.handler.js';

export interface TaskFactsOptions extends TaskCore {
  readonly streams: InstanceStreams;
  readonly onProblem: ReportProblem;
  /** A task changed by event: launches and ends are due. */
  readonly onChange: (task: StoredTask) => void;
}

export function consumeTaskFacts(options: TaskFactsOptions): readonly FactConsumption[] {
  const { streams, onProblem, root } = options;
  const sessions = new SessionFactsHandler(options.store, options.outcomes, options.clock);
  const inbox = new InboxHandler(options);
  return [
    consumeFacts({
      ...{ streams, onProblem, stream: 'EVENTS', durable: 'task-service-sessions' },
      filterSubject: `${root}.event.session.>`,
      handle: (message) => sessions.handle(message),
    }),
    consumeFacts({
      ...{ streams, onProblem, stream: 'INBOX', durable: 'task-service-inbox' },
      filterSubject: factSubjects.allInbox(root),
      handle: (message) => inbox.handle(message),
    }),
  ];
}
