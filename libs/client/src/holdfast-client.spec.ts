/** Which request each method makes, and which failures a caller may answer by sending it again. */
import { describe, expect, it } from '@jest/globals';
import { HoldfastClient } from './holdfast-client.js';

const TASK = {
  ...{ taskId: 't-1', title: 'Build', status: 'open', needsAttention: false, owner: 'operator:operator', agent: { kind: 'shell' } },
  ...{ priority: 0, labels: {}, createdAt: '2030-01-01T00:00:00Z', updatedAt: '2030-01-01T00:00:00Z', sequence: 1, sessions: [] },
};
const task = { title: 'Build', agent: { kind: 'shell' } } as const;

function recording(answer: unknown) {
  const requests: string[] = [];
  const client = new HoldfastClient({
    baseUrl: '',
    fetch: (url, init = {}) => {
      const headers = init.headers as Record<string, string>;
      const key = headers['idempotency-key'] === undefined ? '' : ` key=${headers['idempotency-key']}`;
      requests.push(`${init.method ?? ''} ${String(url)}${key} ${typeof init.body === 'string' ? init.body : ''}`.trimEnd());
      return Promise.resolve(new Response(JSON.stringify(answer)));
    },
  });
  return { client, requests };
}
const offline = new HoldfastClient({ baseUrl: '', fetch: () => Promise.reject(new TypeError('no network')) });

describe('tasks', () => {
  it('are created, changed and read by these requests', async () => {
    const { client, requests } = recording(TASK);
    await client.createTask(task, { idempotencyKey: 'k' });
    await client.getTask('t-1');
    await client.launchTask('t-1');
    await client.completeTask('t-1');
    await client.terminateTask('t-1', { reason: 'no use' });
    await client.cancelTask('t-1');
    await client.reopenTask('t-1');
    expect(requests).toEqual([
      `POST /v1/tasks key=k ${JSON.stringify(task)}`,
      'GET /v1/tasks/t-1',
      'POST /v1/tasks/t-1/launch',
      'POST /v1/tasks/t-1/complete {}',
      'POST /v1/tasks/t-1/terminate {"reason":"no use"}',
      'POST /v1/tasks/t-1/cancel {}',
      'POST /v1/tasks/t-1/reopen {}',
    ]);
  });

  it('are listed with filters, with their histories', async () => {
    const { client, requests } = recording({ items: [] });
    await client.listTasks({ status: 'pending', limit: 5, cursor: 'c' });
    await client.getTaskHistory('t-1');
    expect(requests).toEqual(['GET /v1/tasks?status=pending&limit=5&cursor=c', 'GET /v1/tasks/t-1/events']);
  });

  it('may be created again after a lost answer only with a key or an id', async () => {
    const retries = [
      offline.createTask(task),
      offline.createTask(task, { idempotencyKey: 'k' }),
      offline.createTask({ ...task, taskId: 't' }),
    ];
    const failures = await Promise.all(retries.map((retry) => retry.catch((error: { retry: string }) => error.retry)));
    expect(failures).toEqual(['unknown', 'safe', 'safe']);
  });

  it('that the gateway describes otherwise are refused', async () => {
    await expect(recording({ ...TASK, status: 'odd' }).client.getTask('t-1')).rejects.toMatchObject({ code: 'protocol.malformed' });
  });
});

describe('the reaper and hosts', () => {
  it('are asked by these requests', async () => {
    const { client, requests } = recording({ at: '2030-01-01T00:00:00Z', verdicts: [], items: [] });
    await client.reaperPlan();
    await client.sweep();
    await client.reaperAudit({ limit: 3 });
    await client.listHosts();
    expect(requests).toEqual(['GET /v1/reaper/plan', 'POST /v1/reaper/sweep', 'GET /v1/reaper/audit?limit=3', 'GET /v1/hosts']);
  });
});
