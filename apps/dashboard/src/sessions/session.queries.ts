/** Sessions as the gateway tells them, read again every two seconds, and what can be done to them. */
import type { CreateSession, Session } from '@holdfast/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { holdfast } from '../holdfast.js';
import { goTo, terminalHref } from '../route.js';

const POLL_MS = 2_000;
/** The newest; a page of more helps nobody. */
const MOST_SHOWN = 500;

export function useSessions() {
  return useQuery({ queryKey: ['sessions'], queryFn: () => holdfast.listSessions({ limit: MOST_SHOWN }), refetchInterval: POLL_MS });
}

export function useSession(sessionId: string) {
  return useQuery({ queryKey: ['session', sessionId], queryFn: () => holdfast.getSession(sessionId), refetchInterval: POLL_MS });
}

/** Starts a session and opens it. */
export function useStartSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (spec: CreateSession) => holdfast.createSession(spec),
    onSuccess: (session) => {
      client.setQueryData(['session', session.sessionId], session);
      goTo(terminalHref(session.sessionId));
    },
  });
}

/** Ends the processes of a live session; takes the record of an ended one away. */
export function useKillSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ sessionId, purge }: { sessionId: string; purge: boolean }) => holdfast.kill(sessionId, { purge }),
    onSettled: (_report, fault, { sessionId, purge }) => {
      void client.invalidateQueries({ queryKey: ['sessions'] });
      // What is gone is not asked for again.
      if (!purge || fault !== null) void client.invalidateQueries({ queryKey: ['session', sessionId] });
    },
  });
}

export const hasEnded = ({ state }: Pick<Session, 'state'>) => state === 'exited' || state === 'lost';
