/** The ids of the system: one alphabet for sessions, tasks and hosts, safe as a file name and as a NATS subject token. */
import { v7 as uuidv7 } from 'uuid';
import type { Brand } from './brand.js';

export type SessionId = Brand<string, 'SessionId'>;
export type TaskId = Brand<string, 'TaskId'>;
export type HostId = Brand<string, 'HostId'>;

/** Lower-case letters, digits and inner dashes, 1 to 40 characters: cannot leave its directory, be hidden or look like an option. */
export const ID_PATTERN = /^[a-z0-9][a-z0-9-]{0,39}$/;
export const MAX_ID_LENGTH = 40;

export function isId(value: unknown): value is string {
  return typeof value === 'string' && ID_PATTERN.test(value);
}

/** 32 hex digits of a UUIDv7: sorts by time of creation. */
export function newId(): string {
  return uuidv7().replaceAll('-', '');
}

export const newSessionId = (): SessionId => newId() as SessionId;
export const newHostId = (): HostId => newId() as HostId;

/** Returns the branded id, or undefined when `value` does not match `ID_PATTERN`. */
export function parseSessionId(value: unknown): SessionId | undefined {
  return isId(value) ? (value as SessionId) : undefined;
}
