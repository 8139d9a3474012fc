/** Filters and pages a list of sessions. */
import type { ListSessionsQuery, Session, SessionList } from '@holdfast/contracts';

export const DEFAULT_LIST_LIMIT = 100;

/** Ordered by session id, so that a cursor (the last id given) stays right while sessions come and go. */
export function pageOfSessions(sessions: readonly Session[], query: ListSessionsQuery): SessionList {
  const limit = query.limit ?? DEFAULT_LIST_LIMIT;
  const rest = sessions
    .filter((session) => matches(session, query) && (query.cursor === undefined || session.sessionId > query.cursor))
    .sort((a, b) => (a.sessionId < b.sessionId ? -1 : 1));
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return { items, ...(rest.length > limit && last !== undefined ? { nextCursor: last.sessionId } : {}) };
}

function matches(session: Session, { owner, taskId, state, hostId }: ListSessionsQuery): boolean {
  return (
    (owner === undefined || session.owner === owner) &&
    (taskId === undefined || session.taskId === taskId) &&
    (state === undefined || session.state === state) &&
    (hostId === undefined || session.hostId === hostId)
  );
}
