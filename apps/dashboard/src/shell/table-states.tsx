/** What stands where a table would be while there is nothing to show in it. */
import { Center, Paper, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export function LoadingRows({ label }: { readonly label: string }) {
  return (
    <Paper withBorder p="md" aria-busy="true" aria-label={label}>
      <Stack gap="sm">
        {[0, 1, 2].map((row) => (
          <Skeleton key={row} height={38} />
        ))}
      </Stack>
    </Paper>
  );
}

interface NothingToShowProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly text: string;
  readonly testId: string;
}

export function NothingToShow({ icon, title, text, testId }: NothingToShowProps) {
  return (
    <Paper withBorder p={48} data-testid={testId}>
      <Center>
        <Stack align="center" gap={6}>
          {icon}
          <Text fw={600}>{title}</Text>
          <Text c="dimmed" size="sm" ta="center" maw={520}>
            {text}
          </Text>
        </Stack>
      </Center>
    </Paper>
  );
}
