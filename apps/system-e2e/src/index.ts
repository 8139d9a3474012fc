/** The whole product as processes, for tests of it. */
export { startBrowser, type RunningBrowser } from './browser.js';
export { DashboardPage } from './dashboard-page.js';
export { FloodReader } from './flood-reader.js';
export { OutsideClient, type OutsideEvent, type OutsideFact } from './outside-client.js';
export { startRig, type Rig, type RigOptions } from './rig.js';
export { UP_PROGRAM, startUp, type RunningUp, type UpPlace } from './running-up.js';
export { processesOf } from './process-sweep.js';
export { sessionMarksWith } from './session-marks.js';
export { Viewer } from './viewer.js';
