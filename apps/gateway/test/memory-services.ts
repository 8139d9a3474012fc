/** A task service and a reaper in memory behind a real broker: the real command server, the real transition table, and faults on request. */
import { subjectRoot, type CreateTask, type ReaperPlan, type ReaperStatus, type Task, type TaskFact } from '@holdfast/contracts';
import { decideTransition, type TaskRequest } from '@holdfast/domain-task';
import { ServiceError, newId } from '@holdfast/kernel';
import { CommandServer, EventBus } from '@holdfast/platform-messaging';
import { waitFor } from '@holdfast/testing';

const AT = '2030-01-02T03:04:05.000Z';
export const INSTANCE = 'test';

export const REAPER_STATUS: ReaperStatus = {
  enabled: true,
  sweeps: 7,
  lastSweepAt: AT,
  effectiveOrphanAgeMs: 86_400_000,
  hostsHeard: 1,
  sessionsSeen: 2,
  reapedTotal: 1,
  reapedByClass: { unowned: 1 },
  killFailedTotal: 0,
  waiting: 1,
};
export const PLAN: ReaperPlan = {
  at: AT,
  verdicts: [{ hostId: 'host-1', sessionId: 'leak', epoch: 1, do: 'reap', class: 'unowned', why: 'ttl-ran-out', evidence: { ttlMs: 0 } }],
};

export class MemoryServices implements AsyncDisposable {
  readonly tasks = new Map<string, Task>();
  readonly facts: TaskFact[] = [];
  /** Who asked for sweeps. */
  readonly sweptBy: string[] = [];
  readonly auditLimits: (number | undefined)[] = [];
  /** What the next commands are answered instead; `silent` = never. */
  fault: ServiceError | 'silent' | undefined;
  private readonly keys = new Map<string, string>();
  private servers: { close(): Promise<void> }[] = [];

  private constructor(readonly bus: EventBus) {}

  static async start(natsUrl: string): Promise<MemoryServices> {
    const services = new MemoryServices(EventBus.start({ url: natsUrl, name: 'memory-services' }));
    await waitFor(() => services.bus.isConnected, { what: 'the services are connected' });
    services.serve();
    return services;
  }

  /** Nobody answers any more, as when their processes are gone. */
  async leave(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()));
    this.servers = [];
  }

  serve(): void {
    this.servers = [this.serveTasks(), this.serveReaper()];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave();
    await this.bus.close();
  }

  private serveTasks(): CommandServer<'task-service'> {
    const end = (action: TaskRequest) => (asked: { taskId: string; by: string; reason?: string | undefined }) =>
      this.answer(() => ({ task: this.act(action, asked) }));
    return CommandServer.start({
      bus: this.bus,
      root: subjectRoot(INSTANCE),
      service: 'task-service',
      handlers: {
        create: (asked) => this.answer(() => this.create(asked)),
        get: ({ taskId }) => this.answer(() => ({ task: this.task(taskId) })),
        list: ({ status, limit = 100 }) =>
          this.answer(() => ({
            items: [...this.tasks.values()].filter((task) => status === undefined || task.status === status).slice(0, limit),
          })),
        events: ({ taskId }) => this.answer(() => ({ items: this.facts.filter((fact) => fact.taskId === taskId) })),
        launch: end('launch'),
        complete: end('complete'),
        terminate: end('terminate'),
        cancel: end('cancel'),
        reopen: end('reopen'),
        health: () => this.answer(() => ({ tasks: this.tasks.size, outboxPending: 0 })),
      },
    });
  }

  private serveReaper(): CommandServer<'reaper'> {
    return CommandServer.start({
      bus: this.bus,
      root: subjectRoot(INSTANCE),
      service: 'reaper',
      handlers: {
        status: () => this.answer(() => REAPER_STATUS),
        plan: () => this.answer(() => PLAN),
        sweep: ({ by }) => this.answer(() => (this.sweptBy.push(by), PLAN)),
        audit: ({ limit }) => this.answer(() => (this.auditLimits.push(limit), { items: [] })),
      },
    });
  }

  private answer<Answer>(work: () => Answer): Promise<Answer> {
    if (this.fault === 'silent') return new Promise(() => undefined);
    if (this.fault) return Promise.reject(this.fault);
    return new Promise((resolve) => resolve(work()));
  }

  private create(asked: { task: CreateTask; by: string; idempotencyKey?: string | undefined }): { task: Task; created: boolean } {
    const { task: body, by, idempotencyKey } = asked;
    const known = this.keys.get(idempotencyKey ?? '') ?? body.taskId;
    if (known !== undefined && this.tasks.has(known)) return { task: this.task(known), created: false };
    const task: Task = {
      ...{ taskId: body.taskId ?? newId(), title: body.title, status: 'open', agent: body.agent, owner: body.owner ?? by },
      ...{ needsAttention: false, priority: 0, labels: {}, createdAt: AT, updatedAt: AT, sequence: 1, sessions: [] },
    };
    if (idempotencyKey !== undefined) this.keys.set(idempotencyKey, task.taskId);
    this.note(task, 'created', by);
    return { task, created: true };
  }

  private act(action: TaskRequest, asked: { taskId: string; by: string; reason?: string | undefined }): Task {
    const task = this.task(asked.taskId);
    const verdict = decideTransition(task.status, action);
    if (!verdict.ok)
      throw new ServiceError('task.illegal-transition', `task "${task.taskId}" is ${task.status}`, {
        detail: { action, allowed: verdict.allowed },
      });
    const verb = ({ launch: 'launched', complete: 'completed', terminate: 'terminated', cancel: 'cancelled', reopen: 'reopened' } as const)[
      action
    ];
    const reason = asked.reason === undefined ? {} : { reason: { text: asked.reason } };
    return this.note({ ...task, ...reason, status: verdict.to, sequence: task.sequence + 1 }, verb, asked.by);
  }

  private note(task: Task, verb: TaskFact['verb'], by: string): Task {
    const { taskId, sequence, status, reason } = task;
    this.tasks.set(taskId, task);
    this.facts.push({ eventId: `${taskId}.${sequence}`, taskId, sequence, verb, status, at: AT, by, ...(reason ? { reason } : {}) });
    return task;
  }

  private task(taskId: string): Task {
    const task = this.tasks.get(taskId);
    if (!task) throw new ServiceError('task.not-found', `no task "${taskId}"`, { detail: { taskId } });
    return task;
  }
}
