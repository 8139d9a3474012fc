/** What crosses process borders, as schemas; types are inferred from them. */
export * from './events.js';
export * from './health.schema.js';
export * from './link.js';
export * from './problem.schema.js';
export * from './session.schema.js';
export * from './terminal-socket.js';
