/** Listens to a subject of core NATS across every reconnect; what is published while the broker is away is missed. */
import type { EventBus } from './event-bus.js';
import type { ReportProblem } from './problem.js';

export interface FollowSubjectOptions {
  readonly bus: EventBus;
  /** May hold wildcards. */
  readonly subject: string;
  /** The parsed JSON, not yet checked against any schema; what is no JSON is reported and dropped. */
  readonly onEvent: (event: unknown, subject: string) => void;
  readonly onProblem?: ReportProblem;
}

/** Slow-reader rule: none is needed, since `onEvent` returns before the next message is taken. Ends with the bus or the returned function. */
export function followSubject(options: FollowSubjectOptions): () => void {
  const following = { stopped: false, unsubscribe: (): void => undefined };
  void followEachConnection(options, following);
  return () => {
    following.stopped = true;
    following.unsubscribe();
  };
}

async function followEachConnection(
  options: FollowSubjectOptions,
  following: { stopped: boolean; unsubscribe: () => void },
): Promise<void> {
  for (;;) {
    const connection = await options.bus.currentOrNext();
    if (!connection || following.stopped) return;
    const subscription = connection.subscribe(options.subject, {
      callback: (error, message) => {
        if (error) return options.onProblem?.('subscription.refused', error);
        try {
          options.onEvent(message.json<unknown>(), message.subject);
        } catch (thrown) {
          options.onProblem?.('event.unreadable', thrown instanceof SyntaxError ? new Error(`${message.subject}: no JSON`) : thrown);
        }
      },
    });
    following.unsubscribe = () => subscription.unsubscribe();
    await connection.closed();
  }
}
