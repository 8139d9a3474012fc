/** The start page: every session, and the way to a new one. */
import type { Session } from '@holdfast/contracts';
import { Alert, Button, Group, SegmentedControl, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { IconAlertTriangle, IconPlus, IconTerminal2 } from '@tabler/icons-react';
import { useState } from 'react';
import { FaultNotice } from '../shell/fault-notice.js';
import { PageFrame } from '../shell/page-frame.js';
import { KillDialog } from './kill.dialog.js';
import { NewSessionDialog } from './new-session.form.js';
import { SessionTable, type SessionFilter } from './session.table.js';
import { useSessions, useStartSession } from './session.queries.js';

const FILTERS: { value: SessionFilter; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'live', label: 'Live' },
  { value: 'ended', label: 'Ended' },
];

export function SessionListPage() {
  useDocumentTitle('Holdfast');
  const sessions = useSessions();
  const start = useStartSession();
  const [filter, setFilter] = useState<SessionFilter>('all');
  const [creating, setCreating] = useState(false);
  const [doomed, setDoomed] = useState<Session>();
  const fault = start.error ?? sessions.error;
  return (
    <>
      <PageFrame>
        <Group justify="space-between">
          <Title order={2}>Sessions</Title>
          <Group gap="sm">
            <Button
              variant="default"
              size="md"
              leftSection={<IconPlus size={18} />}
              onClick={() => setCreating(true)}
              data-testid="new-session"
            >
              New session
            </Button>
            <Button
              size="md"
              leftSection={<IconTerminal2 size={20} />}
              loading={start.isPending}
              onClick={() => start.mutate({ command: ['bash'] })}
              data-testid="new-terminal"
            >
              New terminal
            </Button>
          </Group>
        </Group>
        {fault && <FaultNotice fault={fault} stale={sessions.data !== undefined} />}
        <Incomplete hosts={sessions.data?.incomplete ?? []} />
        <SegmentedControl data={FILTERS} value={filter} onChange={setFilter} aria-label="Which sessions" className="hf-filter" />
        <SessionTable sessions={sessions.data?.items} filter={filter} failed={sessions.isError} kill={setDoomed} />
      </PageFrame>
      <NewSessionDialog opened={creating} close={() => setCreating(false)} />
      <KillDialog session={doomed} close={() => setDoomed(undefined)} />
    </>
  );
}

function Incomplete({ hosts }: { readonly hosts: readonly { hostId: string; why: string }[] }) {
  if (hosts.length === 0) return null;
  return (
    <Alert color="orange" icon={<IconAlertTriangle size={18} />} role="status">
      {hosts.length === 1 ? 'A host does not answer' : `${hosts.length} hosts do not answer`}: sessions of theirs may be missing here. They
      keep running.
    </Alert>
  );
}
