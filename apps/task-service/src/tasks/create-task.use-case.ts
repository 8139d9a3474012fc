/** Creates a task, or gives the one that the same create made before. */
import type { CommandAnswer, CommandRequest, CreateTask } from '@holdfast/contracts';
import { ownerSchema } from '@holdfast/contracts';
import { ageOf } from '@holdfast/domain-task';
import { ServiceError, newId } from '@holdfast/kernel';
import { createHash } from 'node:crypto';
import type { Clock } from '../host/clock.js';
import type { Admission } from './admission.js';
import type { TaskChanges } from './task-changes.js';
import type { NewTask, StoredTask, TaskUnit } from './task-store.port.js';

/** A key is remembered for this long, in milliseconds. */
export const IDEMPOTENCY_MS = 24 * 3600_000;
/** A task travels in answers and facts of at most 1 MiB, its sessions beside it. */
export const MAX_PROMPT_BYTES = 512 * 1024;
export const MAX_TASK_BYTES = 256 * 1024;

export type Created = { readonly task: StoredTask; readonly created: boolean };
type CreateRequest = CommandRequest<'task-service', 'create'>;
export type CreateAnswer = CommandAnswer<'task-service', 'create'>;

export class CreateTaskUseCase {
  constructor(
    private readonly changes: TaskChanges,
    private readonly admission: Admission,
    private readonly clock: Clock,
  ) {}

  /**
   * Within `unit`; with `launch`, the launch is admitted or nothing is created.
   * @throws ServiceError `task.conflict`: the id or the key was used for another body; `request.too-large`; what `Admission.launch` throws.
   */
  async run(unit: TaskUnit, { task: body, by, idempotencyKey }: CreateRequest): Promise<Created> {
    refuseTooLarge(body);
    const bodyHash = hashOf(body);
    const before = await this.earlier(unit, { body, bodyHash, by, idempotencyKey });
    if (before) return { task: before, created: false };
    const taskId = body.taskId ?? newId();
    const inserted = await unit.tasks.insert(this.newTask(body, { taskId, bodyHash, by }));
    const created = await this.changes.note(unit, inserted, 'created', { by });
    if (idempotencyKey !== undefined) await unit.ledger.putKey(by, idempotencyKey, { bodyHash, taskId, usedAt: this.clock.bootMoment() });
    return { task: body.launch === true ? await this.admission.launch(unit, created, { by }) : created, created: true };
  }

  private async earlier(
    unit: TaskUnit,
    asked: { readonly body: CreateTask; readonly bodyHash: string; readonly by: string; readonly idempotencyKey: string | undefined },
  ): Promise<StoredTask | undefined> {
    const { body, bodyHash, by, idempotencyKey } = asked;
    const used = idempotencyKey === undefined ? undefined : await unit.ledger.findKey(by, idempotencyKey);
    if (used && ageOf(used.usedAt, this.clock.bootMoment()) < IDEMPOTENCY_MS) {
      if (used.bodyHash !== bodyHash) throw new ServiceError('task.conflict', 'the idempotency key was used for another task');
      const task = await unit.tasks.find(used.taskId);
      if (task) return task;
    }
    const task = body.taskId === undefined ? undefined : await unit.tasks.find(body.taskId);
    if (task && task.bodyHash !== bodyHash)
      throw new ServiceError('task.conflict', `task "${task.taskId}" exists and is another one`, { detail: { taskId: task.taskId } });
    return task;
  }

  private newTask(body: CreateTask, made: { readonly taskId: string; readonly bodyHash: string; readonly by: string }): NewTask {
    const at = this.clock.wallTime();
    return {
      taskId: made.taskId,
      title: body.title,
      status: 'open',
      reason: null,
      needsAttention: false,
      owner: body.owner ?? ownerOf(made.by),
      agent: body.agent,
      prompt: body.prompt ?? null,
      cwd: body.cwd ?? null,
      environment: body.env ?? null,
      priority: body.priority ?? 0,
      parentId: body.parentId ?? null,
      labels: body.labels ?? {},
      webhook: body.webhook ?? null,
      bodyHash: made.bodyHash,
      sequence: 0,
      currentSessionId: null,
      createdAt: at,
      updatedAt: at,
      endedAt: null,
      statusSince: this.clock.bootMoment(),
    };
  }
}

/** Whoever asks owns; a name that is no owner label is a service's. */
export function ownerOf(by: string): string {
  if (ownerSchema.safeParse(by).success) return by;
  return `service:${by.replace(/[\s\0]+/g, '-').slice(0, 100)}`;
}

function refuseTooLarge({ prompt, env, ...shown }: CreateTask): void {
  const promptBytes = Buffer.byteLength(prompt ?? '');
  const bytes = Buffer.byteLength(JSON.stringify({ ...shown, env }));
  if (promptBytes > MAX_PROMPT_BYTES)
    throw new ServiceError('request.too-large', `the prompt has ${promptBytes} bytes`, { detail: { maxBytes: MAX_PROMPT_BYTES } });
  if (bytes > MAX_TASK_BYTES)
    throw new ServiceError('request.too-large', `the task has ${bytes} bytes beside its prompt`, { detail: { maxBytes: MAX_TASK_BYTES } });
}

/** The order of keys is no difference. */
function hashOf(body: CreateTask): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(body)))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
