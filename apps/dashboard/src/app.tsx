/** Chooses the page: sign-in until the gateway accepts us, then what the address names. */
import { Anchor, Center, Loader, Stack, Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import { SESSIONS_HREF, useRoute } from './route.js';
import { SessionListPage } from './sessions/session-list.page.js';
import { SignInPage } from './sign-in/sign-in.page.js';
import { signInStore, useSignIn } from './sign-in/sign-in.store.js';
import { TerminalPage } from './terminal/terminal.page.js';

export function App() {
  const signIn = useSignIn();
  useEffect(() => signInStore.watchAddress(), []);
  if (signIn.kind === 'signing-in') {
    return (
      <Center h="100dvh">
        <Loader aria-label="Signing in" />
      </Center>
    );
  }
  return signIn.kind === 'signed-out' ? <SignInPage refusal={signIn.refusal} /> : <Pages />;
}

function Pages() {
  const route = useRoute();
  if (route.page === 'terminal') return <TerminalPage key={route.sessionId} sessionId={route.sessionId} />;
  if (route.page === 'sessions') return <SessionListPage />;
  return (
    <Center h="100dvh">
      <Stack align="center" gap="xs">
        <Title order={2}>Nothing here</Title>
        <Text c="dimmed">This address names no page.</Text>
        <Anchor href={SESSIONS_HREF}>All sessions</Anchor>
      </Stack>
    </Center>
  );
}
