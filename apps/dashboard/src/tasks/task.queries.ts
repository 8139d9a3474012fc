/** Tasks as the gateway tells them, read again every two seconds, and what can be asked of them. */
import type { CreateTask, Task, TaskStatus } from '@holdfast/contracts';
import type { TaskRequest } from '@holdfast/domain-task';
import { newId } from '@holdfast/kernel';
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { holdfast } from '../holdfast.js';

const POLL_MS = 2_000;
const PAGE = 50;

export type StatusFilter = TaskStatus | 'all';

/** Newest first, page by page. */
export function useTasks(filter: StatusFilter) {
  return useInfiniteQuery({
    queryKey: ['tasks', filter],
    queryFn: ({ pageParam }) =>
      holdfast.listTasks({
        limit: PAGE,
        ...(filter === 'all' ? {} : { status: filter }),
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: POLL_MS,
    placeholderData: keepPreviousData,
  });
}

export function useTask(taskId: string) {
  return useQuery({ queryKey: ['task', taskId], queryFn: () => holdfast.getTask(taskId), refetchInterval: POLL_MS });
}

/** Read again when the task has a new fact: `sequence` is the newest one's. */
export function useTaskHistory(taskId: string, sequence: number) {
  return useQuery({
    queryKey: ['task-history', taskId, sequence],
    queryFn: () => holdfast.getTaskHistory(taskId),
    placeholderData: keepPreviousData,
  });
}

/** Sent again unchanged after a failure, it makes no second task. */
export function useCreateTask() {
  const client = useQueryClient();
  const last = useRef({ body: '', key: '' });
  return useMutation({
    mutationFn: (task: CreateTask) => {
      const body = JSON.stringify(task);
      if (last.current.body !== body) last.current = { body, key: newId() };
      return holdfast.createTask(task, { idempotencyKey: last.current.key });
    },
    onSuccess: (task) => {
      client.setQueryData(['task', task.taskId], task);
      return client.invalidateQueries({ queryKey: ['tasks'] });
    },
  });
}

const ASK: Record<TaskRequest, (taskId: string, options: { reason?: string }) => Promise<Task>> = {
  launch: (taskId) => holdfast.launchTask(taskId),
  complete: (taskId, options) => holdfast.completeTask(taskId, options),
  terminate: (taskId, options) => holdfast.terminateTask(taskId, options),
  cancel: (taskId, options) => holdfast.cancelTask(taskId, options),
  reopen: (taskId, options) => holdfast.reopenTask(taskId, options),
};

export function useTaskRequest(taskId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ request, reason }: { request: TaskRequest; reason?: string }) =>
      ASK[request](taskId, reason === undefined ? {} : { reason }),
    onSuccess: (task) => client.setQueryData(['task', taskId], task),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ['tasks'] });
      void client.invalidateQueries({ queryKey: ['task', taskId] });
    },
  });
}
