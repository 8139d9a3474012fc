/** The form for a session with a command of one's own. */
import type { CreateSession } from '@holdfast/contracts';
import { Alert, Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { faultText } from '../shell/fault-text.js';
import { splitCommandLine } from './command-line.js';
import { useStartSession } from './session.queries.js';

interface Fields {
  readonly command: string;
  readonly title: string;
  readonly cwd: string;
}

export function NewSessionDialog({ opened, close }: { readonly opened: boolean; readonly close: () => void }) {
  return (
    <Modal opened={opened} onClose={close} title="New session" centered size="lg">
      <NewSessionForm close={close} />
    </Modal>
  );
}

function NewSessionForm({ close }: { readonly close: () => void }) {
  const [fields, setFields] = useState<Fields>({ command: 'bash', title: '', cwd: '' });
  const [submitted, setSubmitted] = useState(false);
  const start = useStartSession();
  const commandLine = splitCommandLine(fields.command);
  const cwdFault = fields.cwd.trim() !== '' && !fields.cwd.trim().startsWith('/') ? 'must be an absolute path' : undefined;
  const field = (name: keyof Fields) => ({
    value: fields[name],
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      setFields((before) => ({ ...before, [name]: value }));
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (commandLine.ok && cwdFault === undefined) start.mutate(specOf(commandLine.argv, fields));
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label="Command"
          description="Quotes work as in a shell. For pipes and variables: bash -c '…'"
          error={submitted && !commandLine.ok ? commandLine.why : undefined}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          spellCheck={false}
          autoCapitalize="off"
          data-autofocus
          {...field('command')}
        />
        <TextInput label="Title" description="Optional; else the command names the session" maxLength={200} {...field('title')} />
        <TextInput
          label="Working directory"
          description="Optional; else the home directory of the service"
          placeholder="/path/to/project"
          error={submitted ? cwdFault : undefined}
          spellCheck={false}
          {...field('cwd')}
        />
        {start.error && (
          <Alert color="red" role="alert">
            {faultText(start.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={start.isPending}>
            Start
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function specOf(command: string[], { title, cwd }: Fields): CreateSession {
  return { command, ...(title.trim() === '' ? {} : { title: title.trim() }), ...(cwd.trim() === '' ? {} : { cwd: cwd.trim() }) };
}
