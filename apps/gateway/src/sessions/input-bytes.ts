/** What an input body means in bytes. */
import { KEY_BYTES, MAX_INPUT_BYTES, type Input } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';

/** @throws ServiceError `feature.unavailable` for a paste: whether it is bracketed depends on the terminal's modes, which nobody tracks yet. */
export function bytesOfInput(input: Input): Uint8Array {
  if ('text' in input) return Buffer.from(input.text, 'utf8');
  if ('keys' in input) return Buffer.from(input.keys.map((key) => KEY_BYTES[key] ?? '').join(''), 'utf8');
  throw new ServiceError('feature.unavailable', 'paste is not available yet; send text, or the raw bytes as application/octet-stream');
}

/** @throws ServiceError `request.too-large`: one write is applied whole or not at all. */
export function requireFits(bytes: Uint8Array): void {
  if (bytes.length <= MAX_INPUT_BYTES) return;
  throw new ServiceError('request.too-large', `input of ${bytes.length} bytes, one write takes at most ${MAX_INPUT_BYTES}`, {
    detail: { bytes: bytes.length, maxBytes: MAX_INPUT_BYTES },
  });
}
