/** The line below a terminal: connection, exit, size. Always there, so that nothing it says changes the terminal's size. */
import type { ExitView, Session } from '@holdfast/contracts';
import type { ServiceError } from '@holdfast/kernel';
import { CloseButton, Text } from '@mantine/core';
import { exitSentence, isGood } from '../sessions/session-text.js';
import { faultText } from '../shell/fault-text.js';
import type { ConnectionState } from './live-terminal.js';
import type { LiveTerminalState } from './use-live-terminal.js';

const CONNECTION_TEXTS: Record<ConnectionState, string> = {
  connecting: 'Connecting…',
  connected: 'Connected',
  reconnecting: 'Reconnecting… The session keeps running; what you type is sent once the connection is back.',
  disconnected: 'Disconnected',
};

interface TerminalStatusProps {
  readonly live: LiveTerminalState & { readonly dismissFault: () => void };
  readonly session: Session | undefined;
}

export function TerminalStatus({ live, session }: TerminalStatusProps) {
  const { connection, size, fault } = live;
  const exit = live.exit ?? session?.exit;
  return (
    <footer className="hf-status" data-connection={connection}>
      <span role="status" data-testid="connection-state" data-state={connection}>
        <span className="hf-dot" aria-hidden />
        {CONNECTION_TEXTS[connection]}
      </span>
      {exit && <Exit exit={exit} endedAt={session?.endedAt} />}
      {fault && <Fault fault={fault} dismiss={connection === 'disconnected' ? undefined : live.dismissFault} />}
      <span className="hf-hint">
        {size && `${size.cols}×${size.rows} · `}
        Ctrl+Shift+↑ leaves the terminal
      </span>
    </footer>
  );
}

function Exit({ exit, endedAt }: { readonly exit: ExitView; readonly endedAt: string | null | undefined }) {
  return (
    <Text component="span" inherit fw={600} role="status" data-testid="exit-state" {...(isGood(exit) ? {} : { c: 'red' })}>
      {exitSentence(exit, endedAt)}
    </Text>
  );
}

function Fault({ fault, dismiss }: { readonly fault: ServiceError; readonly dismiss: (() => void) | undefined }) {
  return (
    <span role="alert" className="hf-fault">
      {faultText(fault)}
      {dismiss && <CloseButton size="xs" onClick={dismiss} aria-label="Dismiss" />}
    </span>
  );
}
