/** The reaper: how it is, what it would do, what it did, and a sweep now. */
import { Alert, Button, Group, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { IconPlayerPlay } from '@tabler/icons-react';
import { FaultNotice } from '../shell/fault-notice.js';
import { PageFrame } from '../shell/page-frame.js';
import { ReaperAuditTable } from './reaper-audit.js';
import { ReaperCounters } from './reaper-counters.js';
import { ReaperPlanTable } from './reaper-plan.js';
import { sweepText } from './reaper-text.js';
import { useReaperAudit, useReaperPlan, useReaperStatus, useSweep } from './reaper.queries.js';

export function ReaperPage() {
  useDocumentTitle('Reaper - Holdfast');
  const status = useReaperStatus();
  const plan = useReaperPlan();
  const audit = useReaperAudit();
  const sweep = useSweep();
  return (
    <PageFrame>
      <Group justify="space-between">
        <Title order={2}>Reaper</Title>
        <Button
          size="md"
          leftSection={<IconPlayerPlay size={18} />}
          onClick={() => sweep.mutate()}
          loading={sweep.isPending}
          data-testid="sweep-now"
        >
          Sweep now
        </Button>
      </Group>
      <FaultNotice fault={sweep.error ?? status.error ?? plan.error ?? audit.error} stale={status.data !== undefined} />
      {sweep.data && (
        <Alert color="teal" role="status" data-testid="sweep-result">
          {sweepText(sweep.data)}
        </Alert>
      )}
      <ReaperCounters status={status.data} failed={status.isError} />
      <ReaperPlanTable plan={plan.data} failed={plan.isError} />
      <ReaperAuditTable audit={audit.data} failed={audit.isError} />
    </PageFrame>
  );
}
