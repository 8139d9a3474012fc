/** Protocol versions. Core verbs never change; everything else is announced as a feature (rule H6). */
import { ServiceError } from '@holdfast/kernel';
import type { Hello } from './messages.js';

/** The protocol both sides speak. A peer with another number is refused by type at its hello. */
export const PROTOCOL_VERSION = 1;

/** @throws ServiceError `protocol.unsupported-version` with both numbers. */
export function requireSupportedVersion(hello: Hello): void {
  if (hello.protocol === PROTOCOL_VERSION) return;
  throw new ServiceError('protocol.unsupported-version', `the peer speaks protocol ${hello.protocol}, this build ${PROTOCOL_VERSION}`, {
    detail: { theirs: hello.protocol, ours: PROTOCOL_VERSION },
  });
}
