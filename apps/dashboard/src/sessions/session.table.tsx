/** The list itself, with something to say while it is loading, empty or filtered to nothing. */
import type { Session } from '@holdfast/contracts';
import { Paper, Table } from '@mantine/core';
import { IconTerminal2 } from '@tabler/icons-react';
import { LoadingRows, NothingToShow } from '../shell/table-states.js';
import { useNow } from '../shell/use-now.js';
import { SessionRow } from './session.row.js';
import { hasEnded } from './session.queries.js';

export type SessionFilter = 'all' | 'live' | 'ended';

interface SessionTableProps {
  /** Absent until the first answer. */
  readonly sessions: readonly Session[] | undefined;
  readonly filter: SessionFilter;
  readonly failed: boolean;
  readonly kill: (session: Session) => void;
}

export function SessionTable({ sessions, filter, failed, kill }: SessionTableProps) {
  const now = useNow();
  if (sessions === undefined) return failed ? null : <LoadingRows label="Loading sessions" />;
  const shown = sessions
    .filter((session) => filter === 'all' || hasEnded(session) === (filter === 'ended'))
    .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt));
  if (shown.length === 0) return <Empty all={sessions.length === 0} />;
  return (
    <Paper withBorder className="hf-table">
      <Table verticalSpacing="sm" horizontalSpacing="md" highlightOnHover layout="auto">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Session</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th visibleFrom="sm">Size</Table.Th>
            <Table.Th visibleFrom="sm">Output</Table.Th>
            <Table.Th>Age</Table.Th>
            <Table.Th aria-label="Actions" />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map((session) => (
            <SessionRow key={session.sessionId} session={session} now={now} kill={kill} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function Empty({ all }: { readonly all: boolean }) {
  return (
    <NothingToShow
      testId="no-sessions"
      icon={<IconTerminal2 size={40} stroke={1.2} opacity={0.5} />}
      title={all ? 'No sessions yet' : 'None of these'}
      text={
        all
          ? 'Start a terminal: it goes on running when you close this page, and when Holdfast restarts.'
          : 'Sessions are there, but none matches the filter.'
      }
    />
  );
}
