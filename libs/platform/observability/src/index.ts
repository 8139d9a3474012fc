/** How services tell of themselves, and how their processes live and end. */
export { JsonLog, type Log, type LogFacts } from './json-log.js';
export { runService, type RunningService, type ServiceProcess } from './run-service.js';
