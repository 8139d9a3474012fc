/** Ties a live terminal to a place on the page for as long as that place exists. */
import type { TerminalSize } from '@holdfast/client';
import type { ExitView } from '@holdfast/contracts';
import type { ServiceError } from '@holdfast/kernel';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { signInStore } from '../sign-in/sign-in.store.js';
import { LiveTerminal, type ConnectionState } from './live-terminal.js';
import type { ColourScheme } from './terminal-theme.js';

export interface LiveTerminalState {
  readonly connection: ConnectionState;
  readonly size: TerminalSize | undefined;
  readonly exit: ExitView | undefined;
  readonly title: string | undefined;
  readonly fault: ServiceError | undefined;
}

interface LiveTerminalOptions {
  readonly sessionId: string;
  readonly scheme: ColourScheme;
  readonly leave: () => void;
  readonly exited: () => void;
}

const AT_FIRST: LiveTerminalState = { connection: 'connecting', size: undefined, exit: undefined, title: undefined, fault: undefined };

export function useLiveTerminal(host: RefObject<HTMLElement | null>, options: LiveTerminalOptions) {
  const { sessionId, scheme } = options;
  const [state, setState] = useState(AT_FIRST);
  const terminal = useRef<LiveTerminal>(undefined);
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  useEffect(() => {
    if (host.current === null) return undefined;
    const change = (part: Partial<LiveTerminalState>) => setState((before) => ({ ...before, ...part }));
    const live = new LiveTerminal(sessionId, host.current, latest.current.scheme, {
      connection: (connection) => change({ connection }),
      size: (size) => change({ size }),
      title: (title) => change({ title }),
      fault: (fault) => {
        signInStore.noticeRefusal(fault);
        change({ fault });
      },
      exited: (exit) => {
        change({ exit });
        latest.current.exited();
      },
      leave: () => latest.current.leave(),
    });
    terminal.current = live;
    live.focus();
    return () => live.dispose();
  }, [host, sessionId]);
  useEffect(() => terminal.current?.useScheme(scheme), [scheme]);
  return { ...state, focus: () => terminal.current?.focus(), dismissFault: () => setState((before) => ({ ...before, fault: undefined })) };
}
