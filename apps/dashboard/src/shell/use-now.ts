/** The time of this browser, renewed every second: for ages. */
import { useInterval } from '@mantine/hooks';
import { useState } from 'react';

export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), 1000, { autoInvoke: true });
  return now;
}
