/** The reaper as the gateway tells it, read again every few seconds, and a sweep now. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { holdfast } from '../holdfast.js';

const STATUS_POLL_MS = 2_000;
/** A plan asks the task store; the reaper's own sweeps are as far apart. */
const PLAN_POLL_MS = 5_000;
const NEWEST_ENTRIES = 100;

export function useReaperStatus() {
  return useQuery({ queryKey: ['reaper', 'status'], queryFn: () => holdfast.reaperStatus(), refetchInterval: STATUS_POLL_MS });
}

export function useReaperPlan() {
  return useQuery({ queryKey: ['reaper', 'plan'], queryFn: () => holdfast.reaperPlan(), refetchInterval: PLAN_POLL_MS });
}

export function useReaperAudit() {
  return useQuery({
    queryKey: ['reaper', 'audit'],
    queryFn: () => holdfast.reaperAudit({ limit: NEWEST_ENTRIES }),
    refetchInterval: PLAN_POLL_MS,
  });
}

export function useSweep() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => holdfast.sweep(),
    onSettled: () => client.invalidateQueries({ queryKey: ['reaper'] }),
  });
}
