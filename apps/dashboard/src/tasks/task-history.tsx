/** What happened to a task, newest first. */
import type { Task, TaskFact } from '@holdfast/contracts';
import { Anchor, Paper, Skeleton, Text, Timeline, Title } from '@mantine/core';
import { terminalHref } from '../route.js';
import { FaultNotice } from '../shell/fault-notice.js';
import { byText, factText, reasonText } from './task-text.js';
import { useTaskHistory } from './task.queries.js';

export function TaskHistory({ task }: { readonly task: Pick<Task, 'taskId' | 'sequence'> }) {
  const history = useTaskHistory(task.taskId, task.sequence);
  return (
    <Paper withBorder p="lg" component="section" aria-label="History" data-testid="task-history">
      <Title order={4} mb="md">
        History
      </Title>
      <FaultNotice fault={history.error} />
      {history.isPending && <Skeleton height={80} aria-label="Loading history" />}
      {history.data && (
        <Timeline bulletSize={12} lineWidth={2} active={history.data.items.length}>
          {history.data.items.toReversed().map((fact) => (
            <Timeline.Item key={fact.sequence}>
              <FactDetails fact={fact} />
            </Timeline.Item>
          ))}
        </Timeline>
      )}
    </Paper>
  );
}

function FactDetails({ fact }: { readonly fact: TaskFact }) {
  const reason = reasonText(fact.reason);
  return (
    <>
      <Text size="sm" fw={600}>
        {factText(fact.verb)}
      </Text>
      <Text size="xs" c="dimmed">
        {new Date(fact.at).toLocaleString()} · by {byText(fact.by)}
        {fact.sessionId !== undefined && (
          <>
            {' · '}
            <Anchor href={terminalHref(fact.sessionId)} size="xs">
              terminal
            </Anchor>
          </>
        )}
      </Text>
      {reason !== '' && (
        <Text size="sm" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {reason}
        </Text>
      )}
    </>
  );
}
