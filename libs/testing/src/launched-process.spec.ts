/** A launched program's end is seen whatever the test did to it. */
import { describe, expect, it } from '@jest/globals';
import { launch } from './launched-process.js';

describe('launch', () => {
  it('settles its exit with the whole output read, also after the test disconnected', async () => {
    const script = "process.on('disconnect', () => { console.log('alone'); process.exit(3); }); console.log('up')";
    await using program = await launch(process.execPath, { arguments: ['-e', script], ipc: true });
    await program.prints(/up/);
    program.child.disconnect();
    expect([await program.exit, program.stdout()]).toEqual([{ code: 3, signal: null }, 'up\nalone\n']);
  });
});
