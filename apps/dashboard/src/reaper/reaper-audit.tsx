/** What the reaper did, newest first. */
import type { ReaperAudit, ReaperAuditEntry } from '@holdfast/contracts';
import { Badge, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { IconListCheck } from '@tabler/icons-react';
import { LoadingRows, NothingToShow } from '../shell/table-states.js';
import { Because, SessionLink } from './reaper-plan.js';

const COLOURS: Record<ReaperAuditEntry['outcome'], string> = { reaped: 'teal', refused: 'blue', failed: 'red', gone: 'gray' };

export function ReaperAuditTable({ audit, failed }: { readonly audit: ReaperAudit | undefined; readonly failed: boolean }) {
  return (
    <Stack gap="sm" component="section" aria-label="Audit" data-testid="reaper-audit">
      <div>
        <Title order={4}>Audit</Title>
        <Text size="sm" c="dimmed">
          Every verdict that acted, and what came of it.
        </Text>
      </div>
      {audit === undefined ? !failed && <LoadingRows label="Loading the audit" /> : <Entries items={audit.items} />}
    </Stack>
  );
}

function Entries({ items }: { readonly items: readonly ReaperAuditEntry[] }) {
  if (items.length === 0)
    return (
      <NothingToShow
        testId="no-audit"
        icon={<IconListCheck size={40} stroke={1.2} opacity={0.5} />}
        title="Nothing reaped yet"
        text="The first session that leaks will be written down here."
      />
    );
  return (
    <Paper withBorder className="hf-wide-table">
      <Table verticalSpacing="sm" horizontalSpacing="md" layout="auto" miw={680}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>When</Table.Th>
            <Table.Th>Session</Table.Th>
            <Table.Th>Outcome</Table.Th>
            <Table.Th>Because</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((entry) => (
            <EntryRow key={`${entry.at} ${entry.verdict.sessionId} ${entry.verdict.epoch}`} entry={entry} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function EntryRow({ entry }: { readonly entry: ReaperAuditEntry }) {
  const { at, verdict, outcome, detail, report } = entry;
  const survivors = report?.survivors.length ?? 0;
  return (
    <Table.Tr data-testid="reaper-audit-entry" data-session-id={verdict.sessionId}>
      <Table.Td className="hf-fact">{new Date(at).toLocaleString()}</Table.Td>
      <Table.Td>
        <SessionLink sessionId={verdict.sessionId} />
      </Table.Td>
      <Table.Td>
        <Badge className="hf-badge" variant="light" color={COLOURS[outcome]} tt="none" fw={600}>
          {outcome}
        </Badge>
        {(detail !== undefined || survivors > 0) && (
          <Text size="xs" c={survivors > 0 ? 'red' : 'dimmed'}>
            {detail} {survivors > 0 && `${survivors} processes survived`}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Because verdict={verdict} />
      </Table.Td>
    </Table.Tr>
  );
}
