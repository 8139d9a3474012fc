/** What tests of every project use: temporary directories, polling with a deadline, processes that never stay behind. */
export { watchForLeaks, type LeakWatch } from './leak-watch.js';
export { launch, type LaunchOptions, type LaunchedProcess, type ProcessExit } from './launched-process.js';
export { startNatsServer, type NatsServer, type NatsServerOptions } from './nats-server.js';
export { childPidsOf, isRunning, listeningSocketCount, stopProcess } from './process-table.js';
export { createTempDirectory, type TempDirectory } from './temp-directory.js';
export { waitFor, type Deadline } from './wait-for.js';
