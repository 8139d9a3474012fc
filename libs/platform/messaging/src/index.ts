/** The broker, as services use it: one connection that never blocks a start and never gives up; events, facts and commands on it. */
export { CONNECT_TIMEOUT_MS, EventBus, MAX_PAUSE_MS, type BusStatus, type EventBusOptions } from './event-bus.js';
export { cloudEvent, type CloudEvent } from './cloud-event.js';
export { brokerOptions } from './broker-options.js';
export { followSubject, type FollowSubjectOptions } from './follow-subject.js';
export type { ReportProblem } from './problem.js';
export { InstanceStreams, streamSpecs, type InstanceStreamsOptions, type StreamSpec } from './facts/streams.js';
export { FactPublisher, PUBLISH_DEADLINE_MS } from './facts/fact-publisher.js';
export { consumeFacts, type ConsumeFactsOptions, type FactConsumption, type FactMessage, type FactVerdict } from './facts/fact-consumer.js';
export { CommandServer, type CommandHandlers, type CommandServerOptions } from './commands/command-server.js';
export { COMMAND_DEADLINE_MS, CommandClient, type CommandOptions } from './commands/command-client.js';
export { Bucket, type WatchOptions } from './facts/bucket.js';
