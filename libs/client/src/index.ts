/**
 * Typed client of Holdfast for Node 20+ and browsers: `HoldfastClient` speaks REST, `TerminalClient` streams terminals
 * over socket.io and continues them exactly across every broken connection.
 *
 * ```ts
 * const holdfast = new HoldfastClient({ baseUrl: 'http://127.0.0.1:7070', token });
 * const { sessionId } = await holdfast.createSession({ command: ['bash'] });
 * const terminals = new TerminalClient({ baseUrl: 'http://127.0.0.1:7070', token });
 * const terminal = await terminals.attach({ sessionId, mode: 'write' }, { onOutput: (bytes) => process.stdout.write(bytes) });
 * await terminal.write(new TextEncoder().encode('echo hello\r'));
 * terminals.close();
 * ```
 * Every failure is a `ServiceError` (from `@holdfast/kernel`) with a closed `code` and whether the same call may be sent again (`retry`).
 */
export {
  HoldfastClient,
  type HoldfastClientOptions,
  type Output,
  type ReadOutputOptions,
  type SendableInput,
  type TaskChangeOptions,
} from './holdfast-client.js';
export { TerminalAttachment } from './terminal-attachment.js';
export { TerminalClient, type TerminalClientOptions } from './terminal-client.js';
export type { AttachmentStatus, AttachOptions, StreamStart, TerminalHandlers, TerminalSize } from './terminal-handlers.js';
