/** The list itself, with something to say while it is loading, empty or filtered to nothing. */
import type { Session } from '@holdfast/contracts';
import { Center, Paper, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { IconTerminal2 } from '@tabler/icons-react';
import { useState } from 'react';
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
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), 1000, { autoInvoke: true });
  if (sessions === undefined) return failed ? null : <Loading />;
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

function Loading() {
  return (
    <Paper withBorder p="md" aria-busy="true" aria-label="Loading sessions">
      <Stack gap="sm">
        {[0, 1, 2].map((row) => (
          <Skeleton key={row} height={38} />
        ))}
      </Stack>
    </Paper>
  );
}

function Empty({ all }: { readonly all: boolean }) {
  return (
    <Paper withBorder p={48} data-testid="no-sessions">
      <Center>
        <Stack align="center" gap={6}>
          <IconTerminal2 size={40} stroke={1.2} opacity={0.5} />
          <Text fw={600}>{all ? 'No sessions yet' : 'None of these'}</Text>
          <Text c="dimmed" size="sm" ta="center">
            {all
              ? 'Start a terminal: it goes on running when you close this page, and when Holdfast restarts.'
              : 'Sessions are there, but none matches the filter.'}
          </Text>
        </Stack>
      </Center>
    </Paper>
  );
}
