/** Decides whether this page's terminal answers queries of programs (attributes, cursor position, colours); keys, paste and mouse are not touched. */
import type { IDisposable, IFunctionIdentifier, IParser, Terminal } from '@xterm/xterm';

/** CSI sequences that do nothing but ask. */
const QUESTIONS: readonly IFunctionIdentifier[] = [
  { final: 'c' }, // DA1
  { prefix: '>', final: 'c' }, // DA2
  { prefix: '=', final: 'c' }, // DA3
  { final: 'n' }, // DSR, CPR
  { prefix: '?', final: 'n' }, // DECXCPR and private reports
  { intermediates: '$', final: 'p' }, // DECRQM
  { prefix: '?', intermediates: '$', final: 'p' },
  { prefix: '>', final: 'q' }, // XTVERSION
  { prefix: '?', final: 'u' }, // kitty keyboard
];
/** Window manipulation: all of it asks or resizes but the title stack. */
const WINDOW_OPERATION: IFunctionIdentifier = { final: 't' };
const TITLE_STACK: readonly unknown[] = [22, 23];
const STRING_QUESTIONS: readonly IFunctionIdentifier[] = [
  { intermediates: '$', final: 'q' }, // DECRQSS
  { intermediates: '+', final: 'q' }, // XTGETTCAP
];
/** Foreground, background, cursor: each sets a colour, or asks with `?`. */
const COLOUR_COMMANDS = [10, 11, 12];
const PALETTE_COMMAND = 4;
const CLIPBOARD_COMMAND = 52;

/**
 * While `isMuted` says so, questions are swallowed before the terminal's own handlers see them: an answer and a key look
 * alike once they are sent, so it must be done at the source. The clipboard is never read or written, muted or not.
 */
export function controlAnswers(
  terminal: { readonly parser: Pick<IParser, 'registerCsiHandler' | 'registerDcsHandler' | 'registerOscHandler'> },
  isMuted: () => boolean,
): IDisposable {
  const { parser } = terminal;
  const asks = (data: string) => data.split(';').includes('?');
  const registrations: IDisposable[] = [
    ...QUESTIONS.map((id) => parser.registerCsiHandler(id, isMuted)),
    ...STRING_QUESTIONS.map((id) => parser.registerDcsHandler(id, isMuted)),
    ...[PALETTE_COMMAND, ...COLOUR_COMMANDS].map((command) => parser.registerOscHandler(command, (data) => isMuted() && asks(data))),
    parser.registerCsiHandler(WINDOW_OPERATION, (parameters) => isMuted() && !TITLE_STACK.includes(parameters[0])),
    parser.registerOscHandler(CLIPBOARD_COMMAND, () => true),
  ];
  return { dispose: () => registrations.forEach((registration) => registration.dispose()) };
}

const FOCUS_REPORTING = 1004;
const FOCUS_REPORTS = ['\x1b[I', '\x1b[O'];

/**
 * What a person did, of all that the terminal sends: switching focus reporting on makes xterm report at once, which is an
 * answer and nobody's doing; later reports are real and pass.
 */
export function onTyped(terminal: Terminal, typed: (data: string) => void): IDisposable {
  let switching = false;
  const registrations = [
    terminal.parser.registerCsiHandler({ prefix: '?', final: 'h' }, (parameters) => {
      if (parameters.includes(FOCUS_REPORTING)) {
        switching = true;
        queueMicrotask(() => (switching = false));
      }
      return false;
    }),
    terminal.onData((data) => {
      if (data !== '' && !(switching && FOCUS_REPORTS.includes(data))) typed(data);
    }),
  ];
  return { dispose: () => registrations.forEach((registration) => registration.dispose()) };
}
