/** The gateway as a library: what starts it in tests. */
export { startGateway, type Gateway } from './gateway.js';
