/** For an address whose session is not there, or not any more. */
import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { IconArrowLeft } from '@tabler/icons-react';
import { SESSIONS_HREF } from '../route.js';

export function MissingSession({ sessionId }: { readonly sessionId: string }) {
  useDocumentTitle('Holdfast');
  return (
    <Center component="main" h="100dvh" p="md">
      <Stack align="center" gap="sm" role="alert">
        <Title order={2}>No such session</Title>
        <Text c="dimmed" ta="center" maw={420}>
          <b>{sessionId}</b> does not exist. It may have expired or been removed.
        </Text>
        <Button component="a" href={SESSIONS_HREF} variant="light" leftSection={<IconArrowLeft size={16} />}>
          All sessions
        </Button>
      </Stack>
    </Center>
  );
}
