/** The reaper's counters at a glance. */
import type { ReaperStatus } from '@holdfast/contracts';
import { Alert, Paper, SimpleGrid, Skeleton, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { ageText } from '../sessions/session-text.js';
import { useNow } from '../shell/use-now.js';
import { spanText } from './reaper-text.js';

export function ReaperCounters({ status, failed }: { readonly status: ReaperStatus | undefined; readonly failed: boolean }) {
  const now = useNow();
  if (status === undefined) return failed ? null : <Skeleton height={100} aria-label="Loading the reaper's counters" />;
  const { effectiveOrphanAgeMs, lastSweepAt, killFailedTotal, taskUnknown = 0 } = status;
  return (
    <>
      {!status.enabled && (
        <Notice text="Reaping is switched off (HOLDFAST_REAP_ORPHAN_SESSIONS): it decides and reports, and kills nothing." />
      )}
      {taskUnknown > 0 && (
        <Notice
          text={`${taskUnknown} ${taskUnknown === 1 ? 'session names a task' : 'sessions name tasks'} that the store does not have. Was the database restored? They are left alone.`}
        />
      )}
      <SimpleGrid cols={{ base: 2, sm: 3, md: 6 }} spacing="sm" data-testid="reaper-status">
        <Counter
          name="Last sweep"
          value={lastSweepAt === null ? 'none yet' : `${ageText(lastSweepAt, now)} ago`}
          note={`${status.sweeps} in all`}
        />
        <Counter name="Hosts heard" value={status.hostsHeard} note={`${status.sessionsSeen} sessions seen`} />
        <Counter name="Waiting" value={status.waiting} note="not decided yet" />
        <Counter name="Reaped" value={status.reapedTotal} note={classesText(status.reapedByClass)} />
        <Counter name="Failed kills" value={killFailedTotal} note="tried again later" isBad={killFailedTotal > 0} />
        <Counter
          name="Orphan age"
          value={effectiveOrphanAgeMs === null ? '–' : spanText(effectiveOrphanAgeMs)}
          note="unowned ones older go"
        />
      </SimpleGrid>
    </>
  );
}

function classesText(byClass: ReaperStatus['reapedByClass']): string {
  const classes = Object.entries(byClass);
  return classes.length === 0 ? 'since its start' : classes.map(([name, count]) => `${count} ${name}`).join(', ');
}

interface CounterProps {
  readonly name: string;
  readonly value: string | number;
  readonly note: string;
  readonly isBad?: boolean;
}

function Counter({ name, value, note, isBad = false }: CounterProps) {
  return (
    <Paper withBorder p="md">
      <Text size="xs" c="dimmed" fw={500}>
        {name}
      </Text>
      <Text fw={650} size="xl" style={{ fontVariantNumeric: 'tabular-nums' }} {...(isBad ? { c: 'red' } : {})}>
        {value}
      </Text>
      <Text size="xs" c="dimmed">
        {note}
      </Text>
    </Paper>
  );
}

function Notice({ text }: { readonly text: string }) {
  return (
    <Alert color="orange" icon={<IconAlertTriangle size={18} />} role="status">
      {text}
    </Alert>
  );
}
