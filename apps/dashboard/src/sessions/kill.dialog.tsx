/** Asks before a session's processes are ended, or its record is removed. */
import type { Session } from '@holdfast/contracts';
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { faultText } from '../shell/fault-text.js';
import { nameOf } from './session-text.js';
import { hasEnded, useKillSession } from './session.queries.js';

interface KillDialogProps {
  /** Absent: closed. */
  readonly session: Session | undefined;
  readonly close: () => void;
  /** After the record is gone. */
  readonly removed?: () => void;
}

export function KillDialog({ session, close, removed }: KillDialogProps) {
  const kill = useKillSession();
  const ended = session !== undefined && hasEnded(session);
  const leave = () => {
    kill.reset();
    close();
  };
  const go = () => {
    if (session === undefined) return;
    kill.mutate(
      { sessionId: session.sessionId, purge: ended },
      {
        onSuccess: () => {
          leave();
          if (ended) removed?.();
        },
      },
    );
  };
  return (
    <Modal opened={session !== undefined} onClose={leave} title={ended ? 'Remove this session?' : 'Kill this session?'} centered>
      <Stack>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <b>{session === undefined ? '' : nameOf(session)}</b>
          {ended
            ? ': its record and everything it printed will be gone.'
            : ': every process in it is asked to end, and is killed after 10 seconds if it does not.'}
        </Text>
        {kill.error && (
          <Alert color="red" role="alert">
            {faultText(kill.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={leave} data-autofocus>
            Cancel
          </Button>
          <Button color="red" onClick={go} loading={kill.isPending}>
            {ended ? 'Remove' : 'Kill'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
