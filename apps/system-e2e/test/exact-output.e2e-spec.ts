/** Fifty sessions that print and end at the same time: nobody's last bytes are lost, nor an exit code. */
import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { startRig } from '../src/index.js';

const SESSIONS = 50;
const LINES = 200_000;

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The terminal turns each newline into carriage return and newline. */
function expectedOutput(): Buffer {
  let text = '';
  for (let line = 1; line <= LINES; line += 1) text += `${line}\r\n`;
  return Buffer.from(text);
}

describe('many short sessions', () => {
  it('are recorded byte for byte, with their exit codes', async () => {
    await using rig = await startRig();
    const sessions = await Promise.all(
      Array.from({ length: SESSIONS }, () => rig.createSession({ command: ['sh', '-c', `seq ${LINES}; exit 7`] })),
    );
    const expected = { digest: digest(expectedOutput()), exit: { code: 7 }, state: 'exited' };
    const seen = [];
    for (const { sessionId } of sessions) {
      const { exit, state } = await rig.ended(sessionId, 90_000);
      seen.push({ digest: digest(await rig.outputOf(sessionId)), exit, state });
    }
    expect(seen).toEqual(Array.from({ length: SESSIONS }, () => expected));
  }, 180_000);
});
