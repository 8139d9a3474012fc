/** The broker, as services use it: a connection that never blocks a start and never gives up, and CloudEvents on it. */
export { CONNECT_TIMEOUT_MS, EventBus, MAX_PAUSE_MS, type BusStatus, type EventBusOptions } from './event-bus.js';
export { cloudEvent, type CloudEvent } from './cloud-event.js';
export { brokerOptions } from './broker-options.js';
