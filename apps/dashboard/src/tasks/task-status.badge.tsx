/** Status of a task at a glance, by colour and by word. */
import type { Task, TaskStatus } from '@holdfast/contracts';
import { Badge, Group } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { exitText, isGood } from '../sessions/session-text.js';
import { statusText } from './task-text.js';

const COLOURS: Record<TaskStatus, string> = {
  open: 'gray',
  pending: 'blue',
  in_progress: 'cyan',
  completed: 'teal',
  terminated: 'red',
  cancelled: 'gray',
};

type Shown = Pick<Task, 'status' | 'needsAttention' | 'reason'>;

/** With the exit that ended it, when that was not 0, or that a person should look. */
export function TaskBadges({ task }: { readonly task: Shown }) {
  const exit = task.reason?.exit;
  return (
    <Group gap={6} wrap="nowrap">
      <Badge
        data-testid="task-status"
        data-status={task.status}
        className="hf-badge"
        variant="light"
        color={COLOURS[task.status]}
        tt="none"
        fw={600}
      >
        {statusText(task.status)}
      </Badge>
      {exit !== undefined && !isGood(exit) && !task.needsAttention && (
        <Badge data-testid="task-exit" className="hf-badge" variant="outline" color="red" tt="none" fw={500}>
          {exitText(exit)}
        </Badge>
      )}
      {task.needsAttention && (
        <Badge
          data-testid="task-attention"
          className="hf-badge"
          variant="filled"
          color="orange"
          tt="none"
          fw={600}
          leftSection={<IconAlertTriangle size={12} />}
        >
          needs attention
        </Badge>
      )}
    </Group>
  );
}
