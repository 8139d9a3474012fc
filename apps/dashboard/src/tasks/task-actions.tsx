/** What may be done to a task in its status, and nothing else; what ends its sessions asks first. */
import type { Task } from '@holdfast/contracts';
import { allowedRequests, type TaskRequest } from '@holdfast/domain-task';
import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { IconBan, IconCheck, IconPlayerPlay, IconRotate, IconX } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { FaultNotice } from '../shell/fault-notice.js';
import { useTaskRequest } from './task.queries.js';

interface Offer {
  readonly label: string;
  readonly icon: ReactNode;
  readonly color?: string;
  /** Absent: done at once. */
  readonly dialog?: { readonly title: string; readonly text: string; readonly confirm: string };
}

const STOPS = 'Sessions of the task that still run are stopped.';
const OFFERS: Record<TaskRequest, Offer> = {
  launch: { label: 'Launch', icon: <IconPlayerPlay size={16} /> },
  complete: {
    label: 'Complete',
    icon: <IconCheck size={16} />,
    color: 'teal',
    dialog: { title: 'Complete this task?', text: `The work counts as done. ${STOPS}`, confirm: 'Complete task' },
  },
  terminate: {
    label: 'Terminate',
    icon: <IconX size={16} />,
    color: 'red',
    dialog: { title: 'Terminate this task?', text: `The work counts as failed. ${STOPS}`, confirm: 'Terminate task' },
  },
  cancel: {
    label: 'Cancel',
    icon: <IconBan size={16} />,
    color: 'gray',
    dialog: { title: 'Cancel this task?', text: `Nobody wants it any more. ${STOPS}`, confirm: 'Cancel task' },
  },
  reopen: { label: 'Reopen', icon: <IconRotate size={16} /> },
};

export function TaskActions({ task }: { readonly task: Pick<Task, 'taskId' | 'status'> }) {
  const ask = useTaskRequest(task.taskId);
  const [asking, setAsking] = useState<TaskRequest>();
  const choose = (request: TaskRequest) => {
    ask.reset();
    if (OFFERS[request].dialog === undefined) ask.mutate({ request });
    else setAsking(request);
  };
  return (
    <Stack gap="sm" align="flex-end">
      <Group gap="xs" role="group" aria-label="Actions">
        {allowedRequests(task.status).map((request) => (
          <Button
            key={request}
            size="sm"
            variant={OFFERS[request].dialog === undefined ? 'filled' : 'light'}
            {...(OFFERS[request].color === undefined ? {} : { color: OFFERS[request].color })}
            leftSection={OFFERS[request].icon}
            onClick={() => choose(request)}
            loading={ask.isPending && ask.variables.request === request}
            data-testid={`task-action-${request}`}
          >
            {OFFERS[request].label}
          </Button>
        ))}
      </Group>
      {asking === undefined && <FaultNotice fault={ask.error} />}
      <ConfirmDialog request={asking} ask={ask} close={() => setAsking(undefined)} />
    </Stack>
  );
}

interface ConfirmDialogProps {
  /** Absent: closed. */
  readonly request: TaskRequest | undefined;
  readonly ask: ReturnType<typeof useTaskRequest>;
  readonly close: () => void;
}

function ConfirmDialog({ request, ask, close }: ConfirmDialogProps) {
  const [reason, setReason] = useState('');
  const dialog = request === undefined ? undefined : OFFERS[request].dialog;
  const go = () => {
    if (request === undefined) return;
    ask.mutate({ request, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) }, { onSuccess: close });
  };
  return (
    <Modal opened={dialog !== undefined} onClose={close} title={dialog?.title} centered>
      <Stack>
        <Text size="sm">{dialog?.text}</Text>
        <Textarea
          label="Reason"
          description="Optional; kept in the history"
          maxLength={2000}
          autosize
          minRows={2}
          maxRows={8}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <FaultNotice fault={ask.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Back
          </Button>
          <Button color={request === 'complete' ? 'teal' : 'red'} onClick={go} loading={ask.isPending} data-testid="task-action-confirm">
            {dialog?.confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
