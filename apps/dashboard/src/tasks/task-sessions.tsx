/** The sessions a task has had, newest first, each the way to its terminal. */
import type { RecordStatus, SessionRecord, Task } from '@holdfast/contracts';
import { Anchor, Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconTerminal2 } from '@tabler/icons-react';
import { terminalHref } from '../route.js';
import { SessionExitBadge } from '../sessions/session-state.badge.js';
import { hasTerminal } from './task-text.js';

const COLOURS: Record<RecordStatus, string> = { starting: 'blue', running: 'teal', completed: 'gray', aborted: 'red', lost: 'orange' };

export function TaskSessions({ task }: { readonly task: Pick<Task, 'sessions' | 'status'> }) {
  return (
    <Paper withBorder p="lg" component="section" aria-label="Sessions">
      <Title order={4} mb="md">
        Sessions
      </Title>
      <Stack gap="sm">
        {task.sessions.length === 0 && (
          <Text size="sm" c="dimmed">
            {task.status === 'pending' ? 'A session is on its way.' : 'None yet: a launch starts one.'}
          </Text>
        )}
        {task.sessions.toReversed().map((record) => (
          <Record key={record.sessionId} record={record} />
        ))}
      </Stack>
    </Paper>
  );
}

function Record({ record }: { readonly record: SessionRecord }) {
  const { sessionId, lastStatus, exit, startedAt, hostId } = record;
  return (
    <div>
      <Group gap="sm" justify="space-between" wrap="nowrap">
        <TerminalLink record={record} />
        <Group gap={6} wrap="nowrap">
          <Badge className="hf-badge" variant="light" color={COLOURS[lastStatus]} tt="none" fw={600}>
            {lastStatus}
          </Badge>
          <SessionExitBadge session={exit === undefined ? {} : { exit }} />
        </Group>
      </Group>
      <Text size="xs" c="dimmed" ff="monospace" truncate>
        {sessionId}
      </Text>
      <Text size="xs" c="dimmed">
        {startedAt === null ? 'not started yet' : new Date(startedAt).toLocaleString()}
        {hostId !== null && ` · host ${hostId.slice(0, 12)}`}
      </Text>
    </div>
  );
}

function TerminalLink({ record }: { readonly record: SessionRecord }) {
  const { sessionId } = record;
  const label = (
    <Group gap={6} wrap="nowrap" component="span">
      <IconTerminal2 size={16} /> Terminal
    </Group>
  );
  if (!hasTerminal(record))
    return (
      <Text size="sm" c="dimmed" component="span">
        {label}
      </Text>
    );
  return (
    <Anchor
      href={terminalHref(sessionId)}
      data-testid="task-session"
      data-session-id={sessionId}
      aria-label={`Terminal of session ${sessionId}`}
      fw={600}
      size="sm"
    >
      {label}
    </Anchor>
  );
}
