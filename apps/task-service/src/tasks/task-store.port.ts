/** What the task service keeps: rows as plain values, and the repositories of one unit of work. */
import type { CreateTask, ExitView, SessionRecord, Task, TaskFact } from '@holdfast/contracts';
import type { BootMoment, RecordStatus, Reservation, TaskStatus } from '@holdfast/domain-task';

export type TaskReason = NonNullable<Task['reason']>;

export interface StoredTask {
  /** Order of creation. */
  readonly number: number;
  readonly taskId: string;
  readonly title: string;
  readonly status: TaskStatus;
  readonly reason: TaskReason | null;
  readonly needsAttention: boolean;
  readonly owner: string;
  readonly agent: CreateTask['agent'];
  readonly prompt: string | null;
  readonly cwd: string | null;
  /** For the launch only: never shown, never logged. */
  readonly environment: Readonly<Record<string, string>> | null;
  readonly priority: number;
  readonly parentId: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly webhook: string | null;
  /** SHA-256 of the create's body. */
  readonly bodyHash: string;
  /** Of the newest fact. */
  readonly sequence: number;
  /** The session whose end ends the task. */
  readonly currentSessionId: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly endedAt: string | null;
  /** The last change of `status`. */
  readonly statusSince: BootMoment;
}

export type NewTask = Omit<StoredTask, 'number'>;
export type TaskChange = Partial<
  Pick<StoredTask, 'status' | 'reason' | 'needsAttention' | 'sequence' | 'currentSessionId' | 'updatedAt' | 'endedAt' | 'statusSince'>
>;

export interface StoredRecord {
  readonly sessionId: string;
  readonly taskId: string;
  /** Which launch of the task, from 1. */
  readonly run: number;
  readonly epoch: number;
  readonly hostId: string;
  readonly backend: SessionRecord['backend'];
  readonly lastStatus: RecordStatus;
  readonly exit: ExitView | null;
  /** Launch commands sent; 0: no host has ever heard of this session. */
  readonly attempts: number;
  /** ISO 8601: after it the last launch command is refused. */
  readonly notAfter: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly endedSince: BootMoment | null;
}
export type RecordChange = Partial<Omit<StoredRecord, 'sessionId' | 'taskId' | 'run'>>;

export interface TaskFilter {
  readonly status?: TaskStatus | undefined;
  readonly owner?: string | undefined;
  readonly parentId?: string | undefined;
}

export interface TaskRepository {
  insert(task: NewTask): Promise<StoredTask>;
  find(taskId: string): Promise<StoredTask | undefined>;
  findMany(taskIds: readonly string[]): Promise<readonly StoredTask[]>;
  /** Gives the row after the change. */
  update(taskId: string, change: TaskChange): Promise<StoredTask>;
  /** Newest first, at most `limit`, older than the task of number `before`. */
  page(filter: TaskFilter, limit: number, before?: number): Promise<readonly StoredTask[]>;
  /** Oldest first. */
  pending(): Promise<readonly StoredTask[]>;
  countPending(): Promise<number>;
  count(): Promise<number>;
}

export interface RecordRepository {
  insert(record: StoredRecord): Promise<void>;
  find(sessionId: string): Promise<StoredRecord | undefined>;
  findMany(sessionIds: readonly string[]): Promise<readonly StoredRecord[]>;
  update(sessionId: string, change: RecordChange): Promise<void>;
  /** Of these tasks, by task and run. */
  ofTasks(taskIds: readonly string[]): Promise<readonly StoredRecord[]>;
  running(): Promise<readonly StoredRecord[]>;
  /** `starting` or `running`, while their task ended or went on without them. */
  condemned(): Promise<readonly StoredRecord[]>;
}

export interface OutgoingEvent {
  readonly eventId: string;
  readonly subject: string;
  /** The CloudEvent, serialized. */
  readonly body: string;
  /** Absent for what is about no task. */
  readonly fact?: TaskFact;
}
export interface OutboxRow extends OutgoingEvent {
  readonly position: number;
}

export interface OutboxRepository {
  append(event: OutgoingEvent): Promise<void>;
  /** Not yet published, oldest first. */
  pending(limit: number): Promise<readonly OutboxRow[]>;
  countPending(): Promise<number>;
  markPublished(positions: readonly number[], at: string): Promise<void>;
  /** The newest `limit` facts of a task, oldest first. */
  history(taskId: string, limit: number): Promise<readonly TaskFact[]>;
}

export interface UsedKey {
  readonly bodyHash: string;
  readonly taskId: string;
  readonly usedAt: BootMoment;
}

/** What was seen before, so that a repeat changes nothing. */
export interface LedgerRepository {
  /** False when the event was taken in before; true when it is now. */
  takeIn(event: { readonly source: string; readonly id: string }, at: BootMoment): Promise<boolean>;
  findKey(scope: string, key: string): Promise<UsedKey | undefined>;
  putKey(scope: string, key: string, used: UsedKey): Promise<void>;
}

export interface ReservationRepository {
  find(taskId: string): Promise<Reservation | undefined>;
  put(taskId: string, reservation: Reservation): Promise<void>;
  remove(taskId: string): Promise<void>;
}

export interface TaskUnit {
  readonly tasks: TaskRepository;
  readonly records: RecordRepository;
  readonly outbox: OutboxRepository;
  readonly ledger: LedgerRepository;
  readonly reservations: ReservationRepository;
}

export interface TaskStore {
  /**
   * One transaction, alone: all of `work` or nothing of it. `work` waits for nothing but the unit's own calls.
   * @throws ServiceError `storage.failed`, or what `work` threw.
   */
  write<T>(work: (unit: TaskUnit) => Promise<T>): Promise<T>;
  /** Sees no half-done work of this process. @throws ServiceError `storage.failed`. */
  read<T>(work: (unit: TaskUnit) => Promise<T>): Promise<T>;
}
