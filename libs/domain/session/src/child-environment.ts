/** The environment of a session's child (rule H10): what a login terminal would give, nothing of the services around it. */

/** The only variables taken over from the holder's own environment. An allow-list, since a secret can have any name. */
export const INHERITED_VARIABLES: readonly string[] = [
  'HOME',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TMPDIR',
  'TZ',
  'USER',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  'XDG_STATE_HOME',
];

/** C.UTF-8 needs no generated locale and is in every Debian image. */
export const FALLBACK_LOCALE = 'C.UTF-8';
/** What execvp(3) searches without a PATH, plus the usual places. */
export const FALLBACK_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export const SESSION_ID_VARIABLE = 'HOLDFAST_SESSION_ID';
/** Names the mark by which the session's process tree is found; survives setsid and double forks. */
export const SESSION_MARK_VARIABLE = 'HOLDFAST_SESSION_MARK';

export interface ChildEnvironmentInput {
  /** The holder's own environment. */
  readonly inherited: Readonly<Record<string, string | undefined>>;
  /** What the create asked for; wins over all but the two session variables. */
  readonly requested: Readonly<Record<string, string>>;
  readonly sessionId: string;
  readonly mark: string;
}

/** The child's whole environment, as name → value. */
export function childEnvironment(input: ChildEnvironmentInput): Record<string, string> {
  const environment: Record<string, string> = { PATH: FALLBACK_PATH };
  for (const name of INHERITED_VARIABLES) {
    const value = input.inherited[name];
    if (value !== undefined && value !== '') environment[name] = value;
  }
  for (const [name, value] of Object.entries(input.inherited)) {
    if (isLocaleVariable(name) && value !== undefined && isUtf8Locale(value)) environment[name] = value;
  }
  if (environment['LANG'] === undefined) environment['LANG'] = FALLBACK_LOCALE;
  return {
    ...environment,
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    ...input.requested,
    [SESSION_ID_VARIABLE]: input.sessionId,
    [SESSION_MARK_VARIABLE]: input.mark,
  };
}

function isLocaleVariable(name: string): boolean {
  return name === 'LANG' || name.startsWith('LC_');
}

function isUtf8Locale(value: string): boolean {
  return /\.utf-?8$/i.test(value);
}
