/** Sessions as pure values: states, offsets, environments. No I/O, no clock. */
export {
  FALLBACK_LOCALE,
  FALLBACK_PATH,
  INHERITED_VARIABLES,
  SESSION_ID_VARIABLE,
  SESSION_MARK_VARIABLE,
  childEnvironment,
  type ChildEnvironmentInput,
} from './child-environment.js';
export { OutputWindow } from './output-window.js';
export {
  DEFAULT_SIZE,
  MAX_TERMINAL_SIDE,
  isEnded,
  type Exit,
  type ProcessIdentity,
  type Resize,
  type SessionState,
  type TerminalSize,
} from './session.js';
