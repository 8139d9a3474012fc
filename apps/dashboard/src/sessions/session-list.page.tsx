/** The start page: every session, and the way to a new one. */
import type { Session } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import { Alert, Button, Container, Group, SegmentedControl, Stack, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { IconAlertTriangle, IconLogout, IconPlus, IconTerminal2 } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { faultText } from '../shell/fault-text.js';
import { Logo } from '../shell/logo.js';
import { signInStore } from '../sign-in/sign-in.store.js';
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
      <Header />
      <Container component="main" size="lg" py="xl">
        <Stack gap="lg">
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
        </Stack>
      </Container>
      <NewSessionDialog opened={creating} close={() => setCreating(false)} />
      <KillDialog session={doomed} close={() => setDoomed(undefined)} />
    </>
  );
}

function Header() {
  const signOut = useMutation({ mutationFn: () => signInStore.signOut() });
  return (
    <header className="hf-header">
      <Container size="lg" h="100%">
        <Group h="100%" justify="space-between">
          <Logo />
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconLogout size={16} />}
            onClick={() => signOut.mutate()}
            loading={signOut.isPending}
          >
            Sign out
          </Button>
        </Group>
      </Container>
    </header>
  );
}

function FaultNotice({ fault, stale }: { readonly fault: unknown; readonly stale: boolean }) {
  const safe = ServiceError.from(fault).retry !== 'never';
  return (
    <Alert color={safe ? 'orange' : 'red'} icon={<IconAlertTriangle size={18} />} role="alert">
      {faultText(fault)} {stale && safe && 'The list shows what was last known; it is read again every two seconds.'}
    </Alert>
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
