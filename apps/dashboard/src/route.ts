/** Which page the address names. Routes live in the fragment, so that any static server can serve the dashboard. */
import { isId } from '@holdfast/kernel';
import { useSyncExternalStore } from 'react';

export type Route =
  | { readonly page: 'sessions' | 'tasks' | 'reaper' | 'not-found' }
  | { readonly page: 'terminal'; readonly sessionId: string }
  | { readonly page: 'task'; readonly taskId: string };

export const SESSIONS_HREF = '#/';
export const TASKS_HREF = '#/tasks';
export const REAPER_HREF = '#/reaper';
export const terminalHref = (sessionId: string) => `#/sessions/${sessionId}`;
export const taskHref = (taskId: string) => `#/tasks/${taskId}`;

export function routeOf(fragment: string): Route {
  const path = fragment.replace(/^#/, '');
  if (path === '' || path === '/') return { page: 'sessions' };
  if (path === '/tasks') return { page: 'tasks' };
  if (path === '/reaper') return { page: 'reaper' };
  const [, kind, id] = /^\/(sessions|tasks)\/([^/]+)$/.exec(path) ?? [];
  if (!isId(id)) return { page: 'not-found' };
  return kind === 'sessions' ? { page: 'terminal', sessionId: id } : { page: 'task', taskId: id };
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
