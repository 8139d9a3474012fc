/** Whether this browser is signed in: known from the gateway's answers only, since the cookie cannot be read. */
import { ServiceError } from '@holdfast/kernel';
import { useSyncExternalStore } from 'react';
import { holdfast } from '../holdfast.js';
import { takeToken } from './token-fragment.js';

export type SignInState =
  | { readonly kind: 'signing-in' }
  /** Until the gateway says otherwise. */
  | { readonly kind: 'signed-in' }
  | { readonly kind: 'signed-out'; readonly refusal: ServiceError | undefined };

class SignInStore {
  #state: SignInState = { kind: 'signed-in' };
  readonly #listeners = new Set<() => void>();

  constructor() {
    this.#signInByLink();
  }

  readonly state = (): SignInState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** A sign-in link may also be opened in a tab that is here already. */
  watchAddress(): () => void {
    const look = () => this.#signInByLink();
    window.addEventListener('hashchange', look);
    return () => window.removeEventListener('hashchange', look);
  }

  async signIn(token: string): Promise<void> {
    await holdfast.signIn(token);
    this.#become({ kind: 'signed-in' });
  }

  async signOut(): Promise<void> {
    await holdfast.signOut();
    this.#become({ kind: 'signed-out', refusal: undefined });
  }

  /** Any call may find that the cookie is missing or no longer good. */
  noticeRefusal(error: ServiceError): void {
    if (error.code !== 'auth.required' && error.code !== 'auth.invalid') return;
    if (this.#state.kind === 'signed-in') this.#become({ kind: 'signed-out', refusal: error.code === 'auth.invalid' ? error : undefined });
  }

  #signInByLink(): void {
    const token = takeToken();
    if (token === undefined) return;
    this.#become({ kind: 'signing-in' });
    this.signIn(token).catch((thrown: unknown) => this.#become({ kind: 'signed-out', refusal: ServiceError.from(thrown) }));
  }

  #become(state: SignInState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

export const signInStore = new SignInStore();

export function useSignIn(): SignInState {
  return useSyncExternalStore(signInStore.subscribe, signInStore.state);
}
