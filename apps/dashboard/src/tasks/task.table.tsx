/** The list of tasks: a click anywhere opens one, those that need a person stand first. */
import type { SessionRecord, Task } from '@holdfast/contracts';
import { Anchor, Paper, Table, Text } from '@mantine/core';
import { IconChecklist } from '@tabler/icons-react';
import { goTo, taskHref, terminalHref } from '../route.js';
import { ageText } from '../sessions/session-text.js';
import { LoadingRows, NothingToShow } from '../shell/table-states.js';
import { useNow } from '../shell/use-now.js';
import { TaskBadges } from './task-status.badge.js';
import { agentText, attentionFirst, byText, hasTerminal } from './task-text.js';

interface TaskTableProps {
  /** Absent until the first answer. */
  readonly tasks: readonly Task[] | undefined;
  readonly isFiltered: boolean;
  readonly failed: boolean;
}

export function TaskTable({ tasks, isFiltered, failed }: TaskTableProps) {
  const now = useNow();
  if (tasks === undefined) return failed ? null : <LoadingRows label="Loading tasks" />;
  if (tasks.length === 0) return <Empty isFiltered={isFiltered} />;
  return (
    <Paper withBorder className="hf-table">
      <Table verticalSpacing="sm" horizontalSpacing="md" highlightOnHover layout="auto">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Task</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th visibleFrom="sm">Owner</Table.Th>
            <Table.Th>Session</Table.Th>
            <Table.Th>Age</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {attentionFirst(tasks).map((task) => (
            <TaskRow key={task.taskId} task={task} now={now} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function TaskRow({ task, now }: { readonly task: Task; readonly now: number }) {
  const { taskId, title, agent, owner, createdAt, sessions } = task;
  return (
    <Table.Tr
      data-testid="task-row"
      data-task-id={taskId}
      className={task.needsAttention ? 'hf-row hf-row-attention' : 'hf-row'}
      onClick={() => goTo(taskHref(taskId))}
    >
      <Table.Td className="hf-name">
        <Anchor href={taskHref(taskId)} onClick={(event) => event.stopPropagation()} fw={600} c="inherit" truncate display="block" fz="sm">
          {title}
        </Anchor>
        <Text size="xs" c="dimmed" truncate ff="monospace">
          {agentText(agent)}
        </Text>
      </Table.Td>
      <Table.Td>
        <TaskBadges task={task} />
      </Table.Td>
      <Table.Td className="hf-fact" visibleFrom="sm">
        {byText(owner)}
      </Table.Td>
      <Table.Td className="hf-fact">
        <NewestSession record={sessions.at(-1)} title={title} />
      </Table.Td>
      <Table.Td className="hf-fact" title={new Date(createdAt).toLocaleString()}>
        {ageText(createdAt, now)}
      </Table.Td>
    </Table.Tr>
  );
}

function NewestSession({ record, title }: { readonly record: SessionRecord | undefined; readonly title: string }) {
  if (record === undefined) return '–';
  if (!hasTerminal(record)) return record.lastStatus;
  return (
    <Anchor
      href={terminalHref(record.sessionId)}
      onClick={(event) => event.stopPropagation()}
      size="sm"
      data-testid="task-session"
      data-session-id={record.sessionId}
      aria-label={`Terminal of ${title}`}
    >
      Terminal
    </Anchor>
  );
}

function Empty({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <NothingToShow
      testId="no-tasks"
      icon={<IconChecklist size={40} stroke={1.2} opacity={0.5} />}
      title={isFiltered ? 'None of these' : 'No tasks yet'}
      text={
        isFiltered
          ? 'No task has this status.'
          : 'A task is a piece of work with a session of its own: create one here, or let other services publish them.'
      }
    />
  );
}
