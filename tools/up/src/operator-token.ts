/** The token people sign in with: made once, kept in a file only its owner can read. */
import { readText, writeFileAtomic } from '@holdfast/platform-session-store';
import { randomBytes } from 'node:crypto';
import { chmodSync } from 'node:fs';

/** 256 bits. */
const TOKEN_BYTES = 32;

/**
 * The configured token, else the one in `path`, else a new one. The file always holds the token in force,
 * so that whoever reads it can sign in.
 */
export function ensureOperatorToken(path: string, configured: string | undefined): string {
  const kept = readText(path)?.trim();
  const token = configured ?? (kept === undefined || kept === '' ? randomBytes(TOKEN_BYTES).toString('base64url') : kept);
  if (token !== kept) writeFileAtomic(path, `${token}\n`);
  chmodSync(path, 0o600);
  return token;
}
