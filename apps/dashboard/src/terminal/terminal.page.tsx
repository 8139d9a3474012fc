/** One session, live: its bar, its terminal, its status line. Nothing ever covers the text or moves it. */
import type { Session } from '@holdfast/contracts';
import { useComputedColorScheme } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { ServiceError } from '@holdfast/kernel';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { goTo, SESSIONS_HREF } from '../route.js';
import { KillDialog } from '../sessions/kill.dialog.js';
import { nameOf } from '../sessions/session-text.js';
import { useSession } from '../sessions/session.queries.js';
import { MissingSession } from './missing-session.js';
import { TerminalBar } from './terminal-bar.js';
import { TerminalStatus } from './terminal-status.js';
import { plainText } from './plain-text.js';
import { terminalTheme } from './terminal-theme.js';
import { useLiveTerminal } from './use-live-terminal.js';

export function TerminalPage({ sessionId }: { readonly sessionId: string }) {
  const session = useSession(sessionId);
  const isMissing = session.error instanceof ServiceError && session.error.code === 'session.not-found';
  if (isMissing) return <MissingSession sessionId={sessionId} />;
  return <OpenTerminal sessionId={sessionId} session={session.data} />;
}

function OpenTerminal({ sessionId, session }: { readonly sessionId: string; readonly session: Session | undefined }) {
  const queries = useQueryClient();
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const host = useRef<HTMLDivElement>(null);
  const back = useRef<HTMLAnchorElement>(null);
  const [doomed, setDoomed] = useState<Session>();
  const live = useLiveTerminal(host, {
    sessionId,
    scheme,
    leave: () => back.current?.focus(),
    exited: () => void queries.invalidateQueries({ queryKey: ['session', sessionId] }),
  });
  const title = plainText(live.title ?? '');
  const name = session === undefined ? sessionId : nameOf(session);
  useDocumentTitle(`${title === '' ? name : title} - Holdfast`);
  return (
    <div className="hf-terminal-page">
      <TerminalBar sessionId={sessionId} session={session} name={name} title={title} back={back} kill={() => setDoomed(session)} />
      <main className="hf-terminal-frame" style={{ '--hf-terminal-background': terminalTheme(scheme).background }}>
        <div ref={host} className="hf-terminal-host" data-testid="terminal" role="group" aria-label="Terminal" />
      </main>
      <TerminalStatus live={live} session={session} />
      <KillDialog
        session={doomed}
        close={() => {
          setDoomed(undefined);
          live.focus();
        }}
        removed={() => goTo(SESSIONS_HREF)}
      />
    </div>
  );
}
