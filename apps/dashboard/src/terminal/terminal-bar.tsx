/** The bar above a terminal: the way back, which session this is, and what can be done to it. */
import type { Session } from '@holdfast/contracts';
import { ActionIcon, Button, CopyButton, Text, Tooltip } from '@mantine/core';
import { IconArrowLeft, IconCheck, IconCopy, IconPlayerStop, IconTrash } from '@tabler/icons-react';
import type { RefObject } from 'react';
import { SESSIONS_HREF } from '../route.js';
import { SessionStateBadge } from '../sessions/session-state.badge.js';
import { commandText } from '../sessions/session-text.js';
import { hasEnded } from '../sessions/session.queries.js';

interface TerminalBarProps {
  readonly sessionId: string;
  /** Absent until the first answer. */
  readonly session: Session | undefined;
  readonly name: string;
  /** What the program calls itself; may be empty. */
  readonly title: string;
  readonly back: RefObject<HTMLAnchorElement | null>;
  readonly kill: () => void;
}

export function TerminalBar({ sessionId, session, name, title, back, kill }: TerminalBarProps) {
  const ended = session !== undefined && hasEnded(session);
  const said = title !== '' ? title : session?.title === undefined ? '' : commandText(session.command);
  return (
    <header className="hf-terminal-bar">
      <Tooltip label="All sessions" openDelay={400}>
        <ActionIcon component="a" ref={back} href={SESSIONS_HREF} variant="subtle" color="gray" size="lg" aria-label="Back to all sessions">
          <IconArrowLeft size={20} />
        </ActionIcon>
      </Tooltip>
      <div className="hf-terminal-name">
        <Text component="h1" fw={600} size="sm" truncate>
          {name}
        </Text>
        {said !== '' && (
          <Text size="xs" c="dimmed" truncate>
            {said}
          </Text>
        )}
      </div>
      {session && <SessionStateBadge session={session} />}
      <CopyId sessionId={sessionId} />
      <Button
        size="xs"
        variant="light"
        color={ended ? 'gray' : 'red'}
        leftSection={ended ? <IconTrash size={15} /> : <IconPlayerStop size={15} />}
        disabled={session === undefined}
        onClick={kill}
      >
        {ended ? 'Remove' : 'Kill'}
      </Button>
    </header>
  );
}

function CopyId({ sessionId }: { readonly sessionId: string }) {
  return (
    <CopyButton value={sessionId}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy id ${sessionId}`} openDelay={copied ? 0 : 400}>
          <ActionIcon variant="subtle" color={copied ? 'teal' : 'gray'} size="lg" onClick={copy} aria-label="Copy session id">
            {copied ? <IconCheck size={18} /> : <IconCopy size={18} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
