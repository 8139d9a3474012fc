/** What a sweep would do now, session by session, and why. */
import type { ReaperPlan, ReapVerdict } from '@holdfast/contracts';
import { Anchor, Badge, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { IconPlant2 } from '@tabler/icons-react';
import { terminalHref } from '../route.js';
import { LoadingRows, NothingToShow } from '../shell/table-states.js';
import { byUrgency, evidenceText, whyText } from './reaper-text.js';

const COLOURS: Record<ReapVerdict['do'], string> = { reap: 'red', probe: 'orange', wait: 'blue', keep: 'gray' };

export function ReaperPlanTable({ plan, failed }: { readonly plan: ReaperPlan | undefined; readonly failed: boolean }) {
  return (
    <Stack gap="sm" component="section" aria-label="Plan" data-testid="reaper-plan">
      <div>
        <Title order={4}>Plan</Title>
        <Text size="sm" c="dimmed">
          What a sweep would do now with each live session.
        </Text>
      </div>
      {plan === undefined ? !failed && <LoadingRows label="Loading the plan" /> : <Verdicts verdicts={plan.verdicts} />}
    </Stack>
  );
}

function Verdicts({ verdicts }: { readonly verdicts: readonly ReapVerdict[] }) {
  if (verdicts.length === 0)
    return (
      <NothingToShow
        testId="no-verdicts"
        icon={<IconPlant2 size={40} stroke={1.2} opacity={0.5} />}
        title="Nothing to judge"
        text="No host tells of a live session."
      />
    );
  return (
    <Paper withBorder className="hf-wide-table">
      <Table verticalSpacing="sm" horizontalSpacing="md" layout="auto" miw={680}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Session</Table.Th>
            <Table.Th>Verdict</Table.Th>
            <Table.Th>Because</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {byUrgency(verdicts).map((verdict) => (
            <VerdictRow key={`${verdict.hostId} ${verdict.sessionId} ${verdict.epoch}`} verdict={verdict} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function VerdictRow({ verdict }: { readonly verdict: ReapVerdict }) {
  const { sessionId, epoch, evidence } = verdict;
  return (
    <Table.Tr data-testid="reaper-verdict" data-session-id={sessionId} data-do={verdict.do}>
      <Table.Td>
        <SessionLink sessionId={sessionId} />
        <Text size="xs" c="dimmed" truncate>
          {typeof evidence['owner'] === 'string' ? evidence['owner'] : ''}
          {epoch > 1 && ` · epoch ${epoch}`}
        </Text>
      </Table.Td>
      <Table.Td>
        <VerdictBadge verdict={verdict} />
      </Table.Td>
      <Table.Td>
        <Because verdict={verdict} />
      </Table.Td>
    </Table.Tr>
  );
}

export function SessionLink({ sessionId }: { readonly sessionId: string }) {
  return (
    <Anchor href={terminalHref(sessionId)} size="sm" ff="monospace">
      {sessionId}
    </Anchor>
  );
}

export function VerdictBadge({ verdict }: { readonly verdict: ReapVerdict }) {
  return (
    <Badge className="hf-badge" variant="light" color={COLOURS[verdict.do]} tt="none" fw={600}>
      {verdict.do}
    </Badge>
  );
}

/** The reason, and its evidence for who wants to check it. */
export function Because({ verdict }: { readonly verdict: ReapVerdict }) {
  return (
    <details>
      <summary>
        <Text component="span" size="sm">
          {whyText(verdict.why)}
          {verdict.class !== undefined && ` (${verdict.class})`}
        </Text>
      </summary>
      <pre className="hf-evidence">{evidenceText(verdict.evidence)}</pre>
    </details>
  );
}
