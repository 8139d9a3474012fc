/** The frame of every page but the terminal: name, navigation, sign-out. */
import { Anchor, Button, Container, Group, Stack } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { REAPER_HREF, SESSIONS_HREF, TASKS_HREF, useRoute, type Route } from '../route.js';
import { signInStore } from '../sign-in/sign-in.store.js';
import { Logo } from './logo.js';

interface Place {
  readonly href: string;
  readonly label: string;
  readonly testId: string;
  /** Pages at which one is there. */
  readonly pages: readonly Route['page'][];
}

const PLACES: readonly Place[] = [
  { href: SESSIONS_HREF, label: 'Sessions', testId: 'nav-sessions', pages: ['sessions', 'terminal'] },
  { href: TASKS_HREF, label: 'Tasks', testId: 'nav-tasks', pages: ['tasks', 'task'] },
  { href: REAPER_HREF, label: 'Reaper', testId: 'nav-reaper', pages: ['reaper'] },
];

export function PageFrame({ children }: { readonly children: ReactNode }) {
  return (
    <>
      <header className="hf-header">
        <Container size="lg" h="100%">
          <Group h="100%" justify="space-between" wrap="nowrap" gap="xs">
            <Group h="100%" className="hf-header-start" wrap="nowrap">
              <Logo />
              <Navigation />
            </Group>
            <SignOut />
          </Group>
        </Container>
      </header>
      <Container component="main" size="lg" py="xl">
        <Stack gap="lg">{children}</Stack>
      </Container>
    </>
  );
}

function Navigation() {
  const { page } = useRoute();
  return (
    <nav aria-label="Pages" className="hf-nav">
      {PLACES.map(({ href, label, testId, pages }) => (
        <Anchor
          key={href}
          href={href}
          className="hf-nav-link"
          underline="never"
          c="inherit"
          size="sm"
          fw={500}
          data-testid={testId}
          {...(pages.includes(page) ? { 'aria-current': 'page' as const } : {})}
        >
          {label}
        </Anchor>
      ))}
    </nav>
  );
}

function SignOut() {
  const signOut = useMutation({ mutationFn: () => signInStore.signOut() });
  return (
    <Button
      variant="subtle"
      color="gray"
      leftSection={<IconLogout size={16} />}
      onClick={() => signOut.mutate()}
      loading={signOut.isPending}
      className="hf-sign-out"
      aria-label="Sign out"
    >
      <span className="hf-sign-out-text">Sign out</span>
    </Button>
  );
}
