/** The sign-in link: `#token=…` in the fragment, which never reaches a server or its logs. */

export function tokenIn(fragment: string): string | undefined {
  const token = new URLSearchParams(fragment.replace(/^#/, '')).get('token');
  return fragment.startsWith('#token=') && token !== null && token !== '' ? token : undefined;
}

/** Takes the token out of the address bar and this entry of the history, before anything else can see it. */
export function takeToken(): string | undefined {
  const token = tokenIn(window.location.hash);
  if (token !== undefined) window.history.replaceState(null, '', `${window.location.pathname}${window.location.search}#/`);
  return token;
}
