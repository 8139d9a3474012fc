/** What went wrong, above what is shown of the last good answer. */
import { ServiceError } from '@holdfast/kernel';
import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { faultText } from './fault-text.js';

interface FaultNoticeProps {
  /** Nothing is shown without one. */
  readonly fault: unknown;
  /** What the page shows is from before the fault. */
  readonly stale?: boolean;
}

export function FaultNotice({ fault, stale = false }: FaultNoticeProps) {
  if (fault === null || fault === undefined) return null;
  const isPassing = ServiceError.from(fault).retry !== 'never';
  return (
    <Alert color={isPassing ? 'orange' : 'red'} icon={<IconAlertTriangle size={18} />} role="alert">
      {faultText(fault)} {stale && isPassing && 'This page shows what was last known, and looks again every few seconds.'}
    </Alert>
  );
}
