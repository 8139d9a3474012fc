/** One task: how it stands, what may be done, its sessions and its history. */
import type { Task } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import { Alert, Anchor, Button, Grid, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { IconAlertTriangle, IconArrowLeft } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { TASKS_HREF, taskHref } from '../route.js';
import { FaultNotice } from '../shell/fault-notice.js';
import { PageFrame } from '../shell/page-frame.js';
import { TaskActions } from './task-actions.js';
import { TaskHistory } from './task-history.js';
import { TaskSessions } from './task-sessions.js';
import { TaskBadges } from './task-status.badge.js';
import { agentText, attentionText, byText, reasonText } from './task-text.js';
import { useTask } from './task.queries.js';

export function TaskPage({ taskId }: { readonly taskId: string }) {
  const task = useTask(taskId);
  useDocumentTitle(`${task.data?.title ?? taskId} - Holdfast`);
  const isMissing = task.error instanceof ServiceError && task.error.code === 'task.not-found';
  return (
    <PageFrame>
      <Anchor href={TASKS_HREF} size="sm" c="dimmed" w="max-content">
        <Group gap={4} component="span">
          <IconArrowLeft size={15} /> All tasks
        </Group>
      </Anchor>
      {isMissing ? <MissingTask taskId={taskId} /> : <FaultNotice fault={task.error} stale={task.data !== undefined} />}
      {task.data && !isMissing && <TaskDetails task={task.data} />}
      {task.isPending && <Skeleton height={220} aria-label="Loading task" />}
    </PageFrame>
  );
}

function TaskDetails({ task }: { readonly task: Task }) {
  return (
    <>
      <Group justify="space-between" align="flex-start" gap="md">
        <Stack gap={8} miw={0} flex="1 1 300px">
          <Title order={2} style={{ overflowWrap: 'anywhere' }}>
            {task.title}
          </Title>
          <TaskBadges task={task} />
        </Stack>
        <TaskActions task={task} />
      </Group>
      {task.needsAttention && (
        <Alert color="orange" icon={<IconAlertTriangle size={18} />} title="This task needs you" role="status">
          {attentionText(task)}
        </Alert>
      )}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="lg">
            <TaskFacts task={task} />
            <TaskSessions task={task} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <TaskHistory task={task} />
        </Grid.Col>
      </Grid>
    </>
  );
}

function TaskFacts({ task }: { readonly task: Task }) {
  const { agent, cwd, prompt, owner, parentId, createdAt, endedAt, taskId } = task;
  const reason = reasonText(task.reason);
  return (
    <Paper withBorder p="lg" component="section" aria-label="Facts">
      <dl className="hf-facts">
        <Fact name="Runs">
          <Text component="span" ff="monospace" size="sm">
            {agentText(agent)}
          </Text>
        </Fact>
        <Fact name="Reason">{reason !== '' && <span data-testid="task-reason">{reason}</span>}</Fact>
        <Fact name="Directory">{cwd}</Fact>
        <Fact name="Prompt">{prompt !== undefined && <span style={{ whiteSpace: 'pre-wrap' }}>{prompt}</span>}</Fact>
        <Fact name="Owner">{byText(owner)}</Fact>
        <Fact name="Part of">
          {parentId !== undefined && (
            <Anchor href={taskHref(parentId)} size="sm">
              {parentId}
            </Anchor>
          )}
        </Fact>
        <Fact name="Created">{new Date(createdAt).toLocaleString()}</Fact>
        <Fact name="Ended">{endedAt !== undefined && new Date(endedAt).toLocaleString()}</Fact>
        <Fact name="Id">{taskId}</Fact>
      </dl>
    </Paper>
  );
}

/** Nothing, when there is nothing to tell. */
function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  if (children === undefined || children === false) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function MissingTask({ taskId }: { readonly taskId: string }) {
  return (
    <Stack align="center" gap="sm" role="alert" py={60}>
      <Title order={2}>No such task</Title>
      <Text c="dimmed" ta="center" maw={420}>
        <b>{taskId}</b> does not exist. It may have expired.
      </Text>
      <Button component="a" href={TASKS_HREF} variant="light">
        All tasks
      </Button>
    </Stack>
  );
}
