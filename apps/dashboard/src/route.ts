/** Which page the address names. Routes live in the fragment, so that any static server can serve the dashboard. */
import { isId } from '@holdfast/kernel';
import { useSyncExternalStore } from 'react';

export type Route =
  { readonly page: 'sessions' } | { readonly page: 'terminal'; readonly sessionId: string } | { readonly page: 'not-found' };

export const SESSIONS_HREF = '#/';
export const terminalHref = (sessionId: string) => `#/sessions/${sessionId}`;

export function routeOf(fragment: string): Route {
  const path = fragment.replace(/^#/, '');
  if (path === '' || path === '/') return { page: 'sessions' };
  const sessionId = /^\/sessions\/([^/]+)$/.exec(path)?.[1];
  return isId(sessionId) ? { page: 'terminal', sessionId } : { page: 'not-found' };
}

export function goTo(href: string): void {
  window.location.hash = href;
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}

export function useRoute(): Route {
  return routeOf(useSyncExternalStore(subscribe, () => window.location.hash));
}
