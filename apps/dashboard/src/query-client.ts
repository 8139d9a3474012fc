/** The cache of what the gateway said; a refused cookie anywhere leads back to the sign-in page. */
import { ServiceError } from '@holdfast/kernel';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { signInStore } from './sign-in/sign-in.store.js';

function noticeRefusal(error: unknown): void {
  if (error instanceof ServiceError) signInStore.noticeRefusal(error);
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeRefusal }),
  mutationCache: new MutationCache({ onError: noticeRefusal }),
  defaultOptions: {
    // `always`: a gateway on this machine answers without a network. Polling is its own retry.
    queries: { networkMode: 'always', retry: false, refetchOnWindowFocus: true },
    mutations: { networkMode: 'always', retry: false },
  },
});
