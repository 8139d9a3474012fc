/** The JetStream streams and buckets of an instance, declared once and made by whichever service connects first. */
import { factSubjects, streamName, subjectRoot } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import {
  DiscardPolicy,
  JetStreamApiError,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type JetStreamClient,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import type { EventBus } from '../event-bus.js';
import { pauseWhileConnected } from '../pause-while-connected.js';
import type { ReportProblem } from '../problem.js';

const MIB = 1024 * 1024;
/** Events and requests older than this are gone, read or not. */
export const STREAM_MAX_AGE_MS = 7 * 24 * 3600 * 1000;
export const EVENTS_MAX_BYTES = 2048 * MIB;
export const INBOX_MAX_BYTES = 1024 * MIB;
/** A bucket holds one small value a key: hosts and hashes of tokens. */
export const BUCKET_MAX_BYTES = 64 * MIB;
/** The same event id published again within this time is stored once. */
export const DUPLICATE_WINDOW_MS = 120_000;
/** A broker that reserves its disk may refuse a large stream: smaller ones are tried, down to this. */
const SMALLEST_MAX_BYTES = 16 * MIB;
/** The broker answers a request of its API within this, or counts as away. */
const API_DEADLINE_MS = 5_000;
const RETRY_PAUSE_MS = 1_000;

/** Codes of the broker's API. */
const ApiCode = { nameTaken: 10058, outOfStorage: 10047 } as const;

export type StreamSpec = Pick<StreamConfig, 'name' | 'subjects' | 'max_bytes'> & Partial<StreamConfig>;

/** Every stream of an instance, buckets included (a bucket is a stream named `KV_<bucket>`). Nothing the broker learnt after 2.9. */
export function streamSpecs(instance: string): readonly StreamSpec[] {
  const root = subjectRoot(instance);
  return [
    log(streamName(instance, 'EVENTS'), factSubjects.allEvents(root), EVENTS_MAX_BYTES),
    log(streamName(instance, 'INBOX'), factSubjects.allInbox(root), INBOX_MAX_BYTES),
    bucket(streamName(instance, 'HOSTS')),
    bucket(streamName(instance, 'ACCESS')),
  ];
}

function log(name: string, subject: string, maxBytes: number): StreamSpec {
  return {
    name,
    subjects: [subject],
    max_bytes: maxBytes,
    max_age: nanos(STREAM_MAX_AGE_MS),
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
  };
}

/** The layout that clients of the broker's key-value buckets expect. */
function bucket(name: string): StreamSpec {
  return {
    name: `KV_${name}`,
    subjects: [`$KV.${name}.>`],
    max_bytes: BUCKET_MAX_BYTES,
    max_msgs_per_subject: 1,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    allow_rollup_hdrs: true,
    deny_delete: true,
    allow_direct: true,
  };
}

export interface InstanceStreamsOptions {
  readonly bus: EventBus;
  readonly instance: string;
  readonly onProblem?: ReportProblem;
}

/** JetStream of one instance over a process's bus. Ends with the bus. */
export class InstanceStreams {
  readonly instance: string;
  readonly bus: EventBus;
  private made: { readonly connection: NatsConnection; readonly client: Promise<JetStreamClient> } | undefined;

  private constructor(private readonly options: InstanceStreamsOptions) {
    this.instance = options.instance;
    this.bus = options.bus;
    void this.run();
  }

  /** Returns at once; makes or updates the streams at every connect, until it has worked. */
  static start(options: InstanceStreamsOptions): InstanceStreams {
    return new InstanceStreams(options);
  }

  /** A client whose streams exist. @throws ServiceError `service.unreachable` (safe) while the broker is away or refuses. */
  async client(): Promise<JetStreamClient> {
    const connection = this.bus.current;
    if (!connection) throw brokerAway();
    if (this.made?.connection !== connection) this.made = { connection, client: makeStreams(connection, this.instance) };
    const { made } = this;
    try {
      return await made.client;
    } catch (cause) {
      if (this.made === made) this.made = undefined;
      throw brokerAway(cause);
    }
  }

  /** Somebody deleted a stream: the next use makes them again. */
  forget(): void {
    this.made = undefined;
  }

  private async run(): Promise<void> {
    for (;;) {
      const connection = await this.bus.currentOrNext();
      if (!connection) return;
      try {
        await this.client();
        await connection.closed();
      } catch (error) {
        this.options.onProblem?.('streams.not-made', error);
        await pauseWhileConnected(connection, RETRY_PAUSE_MS);
      }
    }
  }
}

export function brokerAway(cause?: unknown): ServiceError {
  return new ServiceError('service.unreachable', 'the message broker is away', cause === undefined ? {} : { cause });
}

async function makeStreams(connection: NatsConnection, instance: string): Promise<JetStreamClient> {
  const manager = await jetstreamManager(connection, { timeout: API_DEADLINE_MS });
  for (const spec of streamSpecs(instance)) await makeLargestThatFits(manager, spec);
  return jetstream(connection, { timeout: API_DEADLINE_MS });
}

async function makeLargestThatFits(manager: JetStreamManager, spec: StreamSpec): Promise<void> {
  for (let maxBytes = spec.max_bytes; ; maxBytes = Math.floor(maxBytes / 2)) {
    try {
      return await makeOrUpdate(manager, { ...spec, max_bytes: maxBytes });
    } catch (error) {
      if (!hasApiCode(error, ApiCode.outOfStorage) || maxBytes / 2 < SMALLEST_MAX_BYTES) throw error;
    }
  }
}

/** Adding the same again changes nothing, so any number of services may do it at once. */
async function makeOrUpdate(manager: JetStreamManager, spec: StreamSpec): Promise<void> {
  try {
    await manager.streams.add(spec);
  } catch (error) {
    if (!hasApiCode(error, ApiCode.nameTaken)) throw error;
    await manager.streams.update(spec.name, spec);
  }
}

function hasApiCode(error: unknown, code: number): boolean {
  return error instanceof JetStreamApiError && error.code === code;
}
