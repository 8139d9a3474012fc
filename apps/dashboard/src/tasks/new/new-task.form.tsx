/** The form for a new task, launched at once unless one says otherwise. */
import type { Task } from '@holdfast/contracts';
import { Button, Checkbox, Group, Modal, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { FaultNotice } from '../../shell/fault-notice.js';
import { AGENT_NAMES } from '../task-text.js';
import { useCreateTask } from '../task.queries.js';
import { newTaskOf, type NewTaskFields } from './new-task.js';

interface NewTaskProps {
  readonly close: () => void;
  readonly created: (task: Task) => void;
}

const KINDS = Object.entries(AGENT_NAMES).map(([value, label]) => ({ value, label }));
const EMPTY: NewTaskFields = { title: '', kind: 'command', args: '', cwd: '', launch: true };
const MONOSPACE_INPUT = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } };

export function NewTaskDialog({ opened, ...props }: NewTaskProps & { readonly opened: boolean }) {
  return (
    <Modal opened={opened} onClose={props.close} title="New task" centered size="lg">
      <NewTaskForm {...props} />
    </Modal>
  );
}

function NewTaskForm({ close, created }: NewTaskProps) {
  const [fields, setFields] = useState(EMPTY);
  const [submitted, setSubmitted] = useState(false);
  const create = useCreateTask();
  const typed = newTaskOf(fields);
  const faults = submitted && !typed.ok ? typed.faults : {};
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (typed.ok) create.mutate(typed.task, { onSuccess: created });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Fields fields={fields} faults={faults} change={(change) => setFields((before) => ({ ...before, ...change }))} />
        <FaultNotice fault={create.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} data-testid="create-task">
            {fields.launch ? 'Create and launch' : 'Create'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface FieldsProps {
  readonly fields: NewTaskFields;
  readonly faults: Partial<Record<keyof NewTaskFields, string>>;
  readonly change: (change: Partial<NewTaskFields>) => void;
}

function Fields({ fields, faults, change }: FieldsProps) {
  const isCommand = fields.kind === 'command';
  const text = (name: 'title' | 'args' | 'cwd') => ({
    value: fields[name],
    error: faults[name],
    onChange: (event: { currentTarget: { value: string } }) => change({ [name]: event.currentTarget.value }),
  });
  return (
    <>
      <TextInput label="Title" description="What is to be done" maxLength={500} data-autofocus {...text('title')} />
      <NativeSelect
        label="Agent"
        description="What works on it"
        data={KINDS}
        value={fields.kind}
        onChange={(event) => change({ kind: event.currentTarget.value as NewTaskFields['kind'] })}
      />
      <TextInput
        label={isCommand ? 'Command' : 'Arguments'}
        description={isCommand ? "Quotes work as in a shell. For pipes and variables: bash -c '…'" : 'Optional; added to the agent’s own'}
        styles={MONOSPACE_INPUT}
        spellCheck={false}
        autoCapitalize="off"
        {...text('args')}
      />
      <TextInput
        label="Working directory"
        description="Optional; else the home directory of the service"
        placeholder="/path/to/project"
        spellCheck={false}
        {...text('cwd')}
      />
      <Checkbox label="Launch at once" checked={fields.launch} onChange={(event) => change({ launch: event.currentTarget.checked })} />
    </>
  );
}
