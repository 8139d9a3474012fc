/** A terminal on the page, joined to its session: output in at xterm's pace, typing and wishes for a size out. Knows nothing of React. */
import {
  TerminalClient,
  type AttachmentStatus,
  type StreamStart,
  type TerminalAttachment,
  type TerminalHandlers,
  type TerminalSize,
} from '@holdfast/client';
import type { ExitView, Session } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import { Terminal, type IDisposable } from '@xterm/xterm';
import { holdfast } from '../holdfast.js';
import { MONOSPACE } from '../theme.js';
import { FittedSize } from './fitted-size.js';
import { controlAnswers, onTyped } from './query-answers.js';
import { ScreenWriter } from './screen-writer.js';
import { terminalTheme, type ColourScheme } from './terminal-theme.js';

export type ConnectionState = 'connecting' | 'connected' | 'reconnecting' | 'disconnected';

export interface LiveTerminalEvents {
  connection(state: ConnectionState): void;
  size(size: TerminalSize): void;
  /** All output is shown. */
  exited(exit: ExitView): void;
  /** Set by the program; any text. */
  title(text: string): void;
  /** Nothing more will come, or what was typed was refused. */
  fault(error: ServiceError): void;
  /** The person wants out, by keyboard: Tab belongs to the program. */
  leave(): void;
}

/** Lines kept above the screen. */
const SCROLLBACK_LINES = 5_000;
/** Between attempts to open, while the gateway or the session's host is away. */
const RETRY_MS = 1_000;

export class LiveTerminal {
  readonly #session: string;
  readonly #events: LiveTerminalEvents;
  readonly #terminal: Terminal;
  readonly #writer: ScreenWriter;
  readonly #fitted: FittedSize;
  readonly #client = new TerminalClient({ baseUrl: '' });
  readonly #disposables: IDisposable[] = [];
  #attachment: TerminalAttachment | undefined;
  /** Typed before there was anybody to send it to. */
  #typedEarly: Uint8Array[] = [];
  #isDisposed = false;
  /** Counts the times the stream went live; what is asked for one time is of no use in the next. */
  #lives = 0;

  constructor(sessionId: string, host: HTMLElement, scheme: ColourScheme, events: LiveTerminalEvents) {
    this.#session = sessionId;
    this.#events = events;
    this.#terminal = newTerminal(scheme);
    this.#writer = new ScreenWriter(this.#terminal);
    this.#terminal.open(host);
    this.#fitted = new FittedSize(this.#terminal, host, (size) => this.#ask(size));
    this.#listen();
    void this.#open();
  }

  focus(): void {
    this.#terminal.focus();
  }

  useScheme(scheme: ColourScheme): void {
    this.#terminal.options.theme = terminalTheme(scheme);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#client.close();
    this.#fitted.dispose();
    for (const disposable of this.#disposables) disposable.dispose();
    this.#terminal.dispose();
  }

  #listen(): void {
    const terminal = this.#terminal;
    terminal.attachCustomKeyEventHandler((event) => {
      if (!(event.ctrlKey && event.shiftKey && event.key === 'ArrowUp')) return true;
      if (event.type === 'keydown') this.#events.leave();
      event.preventDefault();
      return false;
    });
    this.#disposables.push(
      controlAnswers(terminal, () => this.#writer.isReplaying),
      onTyped(terminal, (text) => this.#type(new TextEncoder().encode(text))),
      // Mouse reports in their oldest encoding: one byte a character.
      terminal.onBinary((text) => this.#type(Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff))),
      terminal.onTitleChange((title) => this.#events.title(title)),
      terminal.onResize((size) => this.#events.size(size)),
    );
  }

  /** Tries until the first attach succeeded or can never. */
  async #open(): Promise<void> {
    this.#events.connection('connecting');
    while (!this.#isDisposed && this.#attachment === undefined) {
      try {
        const session = await holdfast.getSession(this.#session);
        // Below this offset everything was asked, and answered, before we watched.
        this.#writer.replayUntil(session.offset);
        await this.#attach(session);
      } catch (thrown) {
        const error = ServiceError.from(thrown);
        if (this.#isDisposed) return;
        if (error.retry === 'never') return this.#ended(error);
        this.#events.connection('reconnecting');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  async #attach(session: Session): Promise<void> {
    if (this.#isDisposed) return;
    const ended = session.state === 'exited' || session.state === 'lost';
    const attachment = await this.#client.attach({ sessionId: this.#session, mode: ended ? 'read' : 'write' }, this.#handlers);
    this.#attachment = attachment;
    if (ended) return this.#stopTyping();
    this.#fitted.assume({ cols: session.cols, rows: session.rows });
    for (const bytes of this.#typedEarly.splice(0)) this.#type(bytes);
  }

  readonly #handlers: TerminalHandlers = {
    onStart: (start) => this.#start(start),
    onOutput: (bytes, offset) => this.#writer.write(bytes, offset),
    onResized: ({ cols, rows }) => this.#terminal.resize(cols, rows),
    onExit: async (exit) => {
      await this.#writer.flush();
      this.#stopTyping();
      this.#events.exited(exit);
    },
    onStatus: (status) => this.#status(status),
    onDetached: (error) => this.#ended(error),
  };

  async #start({ cols, rows, snapshot }: StreamStart): Promise<void> {
    this.#writer.restart();
    this.#terminal.reset();
    this.#terminal.resize(cols, rows);
    if (snapshot !== undefined) await this.#writer.writeSnapshot(snapshot);
  }

  #status(status: AttachmentStatus): void {
    if (status === 'detached') return;
    this.#events.connection(status === 'live' ? 'connected' : 'reconnecting');
    if (status === 'reconnecting') return this.#writer.replayUntil(Number.POSITIVE_INFINITY);
    this.#lives += 1;
    if (this.#lives > 1) void this.#learnWhatWasMissed(this.#lives);
  }

  /** What was printed while we were away is replay; where that ends only the session knows. */
  async #learnWhatWasMissed(life: number): Promise<void> {
    while (!this.#isDisposed && life === this.#lives) {
      try {
        const { offset } = await holdfast.getSession(this.#session);
        if (life === this.#lives) this.#writer.replayUntil(offset);
        return;
      } catch (thrown) {
        if (ServiceError.from(thrown).retry === 'never') return;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  #type(bytes: Uint8Array): void {
    if (this.#attachment === undefined) {
      this.#typedEarly.push(bytes);
      return;
    }
    this.#attachment.write(bytes).catch((thrown: unknown) => {
      if (!this.#isDisposed && !this.#terminal.options.disableStdin) this.#events.fault(ServiceError.from(thrown));
    });
  }

  /** Takes effect when the session's `resized` comes back. */
  #ask(size: TerminalSize): void {
    if (this.#terminal.options.disableStdin) return;
    this.#attachment?.resize(size.cols, size.rows).catch(() => undefined); // Asked for again with the next change, or attach.
  }

  #stopTyping(): void {
    this.#typedEarly = [];
    this.#terminal.options.disableStdin = true;
    this.#terminal.options.cursorBlink = false;
  }

  #ended(error: ServiceError): void {
    this.#stopTyping();
    this.#events.connection('disconnected');
    this.#events.fault(error);
  }
}

function newTerminal(scheme: ColourScheme): Terminal {
  return new Terminal({
    fontFamily: MONOSPACE,
    fontSize: 14,
    lineHeight: 1.15,
    cursorBlink: true,
    scrollback: SCROLLBACK_LINES,
    theme: terminalTheme(scheme),
    // Programs choose colours for a dark background; WCAG AA wants 4.5 on whatever there is.
    minimumContrastRatio: 4.5,
    // Links come from whatever runs in the terminal: they are text.
    linkHandler: { activate: () => undefined },
  });
}
