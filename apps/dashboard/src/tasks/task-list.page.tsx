/** Every task, and the way to a new one. */
import { Button, Group, SegmentedControl, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { TASK_STATUSES } from '@holdfast/domain-task';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { FaultNotice } from '../shell/fault-notice.js';
import { PageFrame } from '../shell/page-frame.js';
import { NewTaskDialog } from './new/new-task.form.js';
import { statusText } from './task-text.js';
import { TaskTable } from './task.table.js';
import { useTasks, type StatusFilter } from './task.queries.js';

const FILTERS: { value: StatusFilter; label: string }[] = [
  { value: 'all', label: 'All' },
  ...TASK_STATUSES.map((status) => ({ value: status, label: capital(statusText(status)) })),
];

export function TaskListPage() {
  useDocumentTitle('Tasks - Holdfast');
  const [filter, setFilter] = useState<StatusFilter>('all');
  const [creating, setCreating] = useState(false);
  const tasks = useTasks(filter);
  // While a filter's first answer is on its way, what the one before gave is shown, filtered here.
  const shown = tasks.data?.pages.flatMap(({ items }) => items).filter(({ status }) => filter === 'all' || status === filter);
  return (
    <>
      <PageFrame>
        <Group justify="space-between">
          <Title order={2}>Tasks</Title>
          <Button size="md" leftSection={<IconPlus size={18} />} onClick={() => setCreating(true)} data-testid="new-task">
            New task
          </Button>
        </Group>
        <FaultNotice fault={tasks.error} stale={tasks.data !== undefined} />
        <div className="hf-scroll">
          <SegmentedControl data={FILTERS} value={filter} onChange={setFilter} aria-label="Which tasks" data-testid="task-filter" />
        </div>
        <TaskTable tasks={shown} isFiltered={filter !== 'all'} failed={tasks.isError} />
        {tasks.hasNextPage && (
          <Group justify="center">
            <Button variant="default" onClick={() => void tasks.fetchNextPage()} loading={tasks.isFetchingNextPage}>
              Show older tasks
            </Button>
          </Group>
        )}
      </PageFrame>
      <NewTaskDialog
        opened={creating}
        close={() => setCreating(false)}
        created={() => {
          setCreating(false);
          setFilter('all');
        }}
      />
    </>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
