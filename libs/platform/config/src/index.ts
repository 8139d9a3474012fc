/** Configuration of every service: read once from the environment, validated, typed. */
export { loadConfig, type HoldfastConfig, type ReaperConfig } from './load-config.js';
export { configWarnings } from './config-warnings.js';
export { exitCodeOf } from './exit-code.js';
export { isLoopbackHost } from './loopback-host.js';
export { CONFIG_VARIABLES, MIN_REMOTE_TOKEN_LENGTH, type ConfigVariable } from './variables.js';
