/** Viewer ids: issued by us, bound to the token, and checkable by any gateway without shared state. */
import { ServiceError } from '@holdfast/kernel';
import { randomBytes } from 'node:crypto';
import { deriveKey, sameSecret, sign } from './secrets.js';

const RANDOM_BYTES = 16;
/** Of the signature: 128 bits cannot be guessed, and the id travels with every keystroke over the link. */
const SIGNATURE_BYTES = 16;

/** An id is `<random>.<signature>`, both base64url: 45 characters of ASCII. */
export class ViewerIds {
  private readonly key: Buffer;

  constructor(operatorToken: string) {
    this.key = deriveKey(operatorToken, 'viewer id');
  }

  issue(tokenId: string): string {
    return this.sealed(randomBytes(RANDOM_BYTES).toString('base64url'), tokenId);
  }

  /** The id itself when it was issued to this token, a new one when none is given. @throws ServiceError `viewer.unknown`. */
  admit(viewerId: string | undefined, tokenId: string): string {
    if (viewerId === undefined) return this.issue(tokenId);
    const [random = ''] = viewerId.split('.');
    if (sameSecret(viewerId, this.sealed(random, tokenId))) return viewerId;
    throw new ServiceError('viewer.unknown', 'this viewer id was not issued to this token; attach without one to get a new one');
  }

  private sealed(random: string, tokenId: string): string {
    return `${random}.${sign(this.key, random, tokenId).subarray(0, SIGNATURE_BYTES).toString('base64url')}`;
  }
}
