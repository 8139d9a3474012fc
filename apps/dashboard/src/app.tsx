/** Chooses the page: sign-in until the gateway accepts us, then what the address names. */
import { Anchor, Center, Loader, Stack, Text, Title } from '@mantine/core';
import { assertNever } from '@holdfast/kernel';
import { useEffect } from 'react';
import { SESSIONS_HREF, useRoute } from './route.js';
import { ReaperPage } from './reaper/reaper.page.js';
import { SessionListPage } from './sessions/session-list.page.js';
import { SignInPage } from './sign-in/sign-in.page.js';
import { signInStore, useSignIn } from './sign-in/sign-in.store.js';
import { TaskListPage } from './tasks/task-list.page.js';
import { TaskPage } from './tasks/task.page.js';
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
  switch (route.page) {
    case 'terminal':
      return <TerminalPage key={route.sessionId} sessionId={route.sessionId} />;
    case 'task':
      return <TaskPage key={route.taskId} taskId={route.taskId} />;
    case 'sessions':
      return <SessionListPage />;
    case 'tasks':
      return <TaskListPage />;
    case 'reaper':
      return <ReaperPage />;
    case 'not-found':
      return <NothingHere />;
    default:
      return assertNever(route);
  }
}

function NothingHere() {
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
