/** State of a session at a glance, by colour and by word. */
import type { Session } from '@holdfast/contracts';
import { Badge } from '@mantine/core';
import { exitText, isGood } from './session-text.js';

const COLOURS: Record<Session['state'], string> = { starting: 'blue', running: 'teal', unreachable: 'orange', exited: 'gray', lost: 'red' };

export function SessionStateBadge({ session }: { readonly session: Pick<Session, 'state'> }) {
  return (
    <Badge data-testid="session-state" className="hf-badge" variant="light" color={COLOURS[session.state]} tt="none" fw={600}>
      {session.state}
    </Badge>
  );
}

export function SessionExitBadge({ session }: { readonly session: Pick<Session, 'exit'> }) {
  if (session.exit === undefined) return null;
  return (
    <Badge
      data-testid="session-exit"
      className={'lost' in session.exit ? 'hf-exit' : 'hf-badge'}
      title={exitText(session.exit)}
      variant="outline"
      color={isGood(session.exit) ? 'gray' : 'red'}
      tt="none"
      fw={500}
    >
      {exitText(session.exit)}
    </Badge>
  );
}
