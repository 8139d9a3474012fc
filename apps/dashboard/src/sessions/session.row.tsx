/** One session in the list: a click anywhere opens it, its menu holds the rest. */
import type { Session } from '@holdfast/contracts';
import { ActionIcon, Anchor, Group, Menu, Table, Text } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCopy, IconDots, IconPlayerStop, IconTrash } from '@tabler/icons-react';
import { goTo, terminalHref } from '../route.js';
import { SessionExitBadge, SessionStateBadge } from './session-state.badge.js';
import { ageText, bytesText, commandText, nameOf } from './session-text.js';
import { hasEnded } from './session.queries.js';

interface SessionRowProps {
  readonly session: Session;
  readonly now: number;
  readonly kill: (session: Session) => void;
}

export function SessionRow({ session, now, kill }: SessionRowProps) {
  const { sessionId, title, command, cols, rows, offset, createdAt } = session;
  const name = nameOf(session);
  return (
    <Table.Tr data-testid="session-row" data-session-id={sessionId} className="hf-row" onClick={() => goTo(terminalHref(sessionId))}>
      <Table.Td className="hf-name">
        <Anchor
          href={terminalHref(sessionId)}
          onClick={(event) => event.stopPropagation()}
          fw={600}
          c="inherit"
          truncate
          display="block"
          ff={title === undefined ? 'monospace' : 'text'}
          fz="sm"
        >
          {name}
        </Anchor>
        <Text size="xs" c="dimmed" truncate ff="monospace">
          {title === undefined ? sessionId : commandText(command)}
        </Text>
      </Table.Td>
      <Table.Td>
        <Group gap={6} wrap="nowrap">
          <SessionStateBadge session={session} />
          <SessionExitBadge session={session} />
        </Group>
      </Table.Td>
      <Table.Td className="hf-fact" visibleFrom="sm">
        {cols}×{rows}
      </Table.Td>
      <Table.Td className="hf-fact" visibleFrom="sm">
        {bytesText(offset)}
      </Table.Td>
      <Table.Td className="hf-fact" title={new Date(createdAt).toLocaleString()}>
        {ageText(createdAt, now)}
      </Table.Td>
      <Table.Td onClick={(event) => event.stopPropagation()} w={44}>
        <RowMenu session={session} kill={kill} />
      </Table.Td>
    </Table.Tr>
  );
}

function RowMenu({ session, kill }: Pick<SessionRowProps, 'session' | 'kill'>) {
  const clipboard = useClipboard();
  const ended = hasEnded(session);
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${nameOf(session)}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => clipboard.copy(session.sessionId)}>
          Copy id
        </Menu.Item>
        <Menu.Item color="red" leftSection={ended ? <IconTrash size={16} /> : <IconPlayerStop size={16} />} onClick={() => kill(session)}>
          {ended ? 'Remove…' : 'Kill…'}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
