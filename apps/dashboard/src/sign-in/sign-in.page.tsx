/** The sign-in form, for who comes without a link. */
import { Alert, Button, Center, Code, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import type { ServiceError } from '@holdfast/kernel';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { faultText } from '../shell/fault-text.js';
import { Logo } from '../shell/logo.js';
import { signInStore } from './sign-in.store.js';

export function SignInPage({ refusal }: { readonly refusal: ServiceError | undefined }) {
  const [token, setToken] = useState('');
  const signIn = useMutation({ mutationFn: () => signInStore.signIn(token.trim()) });
  const fault = signIn.error ?? (signIn.isIdle ? refusal : undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() !== '') signIn.mutate();
  };
  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper withBorder shadow="sm" p="xl" w="100%" maw={420}>
        <form onSubmit={submit}>
          <Stack>
            <Logo />
            <div>
              <Title order={3}>Sign in</Title>
              <Text c="dimmed" size="sm" mt={4}>
                Open the link that <Code>npm run up</Code> printed, or paste its token here. It is also in the file{' '}
                <Code>operator.token</Code> of the state directory.
              </Text>
            </div>
            {fault && (
              <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert">
                {faultText(fault)}
              </Alert>
            )}
            {/* Password managers keep a secret under a name. */}
            <input type="text" name="username" autoComplete="username" value="operator" readOnly hidden />
            <PasswordInput
              label="Token"
              name="token"
              autoComplete="current-password"
              autoFocus
              value={token}
              onChange={(event) => setToken(event.currentTarget.value)}
            />
            <Button type="submit" loading={signIn.isPending} disabled={token.trim() === ''}>
              Sign in
            </Button>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}
