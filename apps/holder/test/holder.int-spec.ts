/** The holder as a process, talked to over its sockets: exact bytes, exits, terms, and a clean child. */
import { PROTOCOL_VERSION, encodeHello, encodeRequest, frameHeader } from '@holdfast/attach-protocol';
import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@holdfast/testing';
import { appendFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HolderRig, conversation, spec } from './holder-rig.js';

const SEQ = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\r\n`).join('');

describe('output and exit', () => {
  it('keeps every byte of short commands and their exit code', async () => {
    await using rig = await HolderRig.start();
    const control = await rig.control();
    const ids = Array.from({ length: 40 }, (_, index) => `s${index}`);
    await Promise.all(ids.map((id) => rig.spawn(control, id, ['sh', '-c', 'seq 20000; exit 7'])));
    for (const id of ids) {
      const { exit, bytes } = await rig.ended(id);
      expect({ id, exit, equal: bytes.toString() === SEQ }).toEqual({ id, exit: { code: 7 }, equal: true });
    }
  });

  it('reports the signal that ended the leader', async () => {
    await using rig = await HolderRig.start();
    await rig.spawn(await rig.control(), 's', ['sh', '-c', 'kill -9 $$']);
    expect((await rig.ended('s')).exit).toEqual({ signal: 'SIGKILL' });
  });

  it('streams from the durable offset so that journal and stream together have no hole', async () => {
    await using rig = await HolderRig.start();
    await rig.spawn(await rig.control(), 's', ['sh', '-c', 'seq 5000; read x; seq 5001 20000; exit 0']);
    await waitFor(async () => (await rig.journal('s')).toString().includes('5000\r\n'), { what: 'the first part on disk' });
    const client = await rig.session('s');
    const attached = await client.attach();
    const before = (await rig.journal('s')).subarray(0, attached.offset);
    await client.write('\n');
    await client.event('ended');
    const after = Buffer.concat(client.output.map((part) => part.bytes));
    const all = Buffer.concat([before, after]).toString();
    expect(all.replace('5000\r\n\r\n', '5000\r\n')).toEqual(SEQ);
  });

  it('tells exit and end apart when a grandchild keeps the tty', async () => {
    await using rig = await HolderRig.start();
    await rig.spawn(await rig.control(), 's', [
      'sh',
      '-c',
      `cd ${rig.home}; (trap "" HUP; : > ready; while [ ! -e go ]; do sleep 0.05; done; echo late) & while [ ! -e ready ]; do :; done; exit 3`,
    ]);
    const client = await rig.session('s');
    await client.attach();
    const exited = await client.event('exited');
    const endedBefore = client.events.some((event) => event.event === 'ended');
    writeFileSync(join(rig.home, 'go'), '');
    await client.event('ended');
    expect({ exit: (exited['record'] as { exit: object }).exit, endedBefore, text: client.text }).toEqual({
      exit: { code: 3 },
      endedBefore: false,
      text: 'late\r\n',
    });
  });

  it('lets a reader that stopped reading catch up from the journal', async () => {
    await using rig = await HolderRig.start();
    await rig.spawn(await rig.control(), 's', ['sh', '-c', 'read x; seq 2000000; echo END']);
    const client = await rig.session('s');
    await client.attach();
    client.socket.pause();
    const writer = await rig.session('s');
    await writer.write('\n');
    await rig.ended('s');
    client.socket.resume();
    await client.event('ended');
    const journal = await rig.journal('s');
    const wrong = client.output.filter((part) => !journal.subarray(part.offset, part.offset + part.bytes.length).equals(part.bytes));
    const last = client.output.at(-1) as { offset: number; bytes: Buffer };
    expect({ wrong: wrong.length, end: last.offset + last.bytes.length }).toEqual({ wrong: 0, end: journal.length });
  });
});

describe('input', () => {
  it('applies each sequence of a viewer once and names a gap', async () => {
    await using rig = await HolderRig.start();
    await rig.spawn(await rig.control(), 's', ['sh', '-c', 'stty raw -echo; echo ready; exec cat']);
    const client = await rig.session('s');
    await client.attach();
    await client.sees('ready');
    const first = await client.write('a', { seq: 1, viewerId: 'v' });
    const again = await client.write('a', { seq: 1, viewerId: 'v' });
    const gap = await client
      .write('c', { seq: 3, viewerId: 'v' })
      .catch((error: { code: string; detail: object }) => ({ code: error.code, detail: error.detail }));
    await client.write('b', { seq: 2, viewerId: 'v' });
    await client.sees('ab');
    expect([first['accepted'], again['duplicate'], gap]).toEqual([1, true, { code: 'session.input-gap', detail: { lastSeq: 1 } }]);
  });

  it('refuses whole writes when a child never reads, and stays idle', async () => {
    await using rig = await HolderRig.start();
    await rig.spawn(await rig.control(), 's', ['sh', '-c', 'stty raw -echo; echo ready; exec sleep 1000']);
    const client = await rig.session('s');
    await client.attach();
    await client.sees('ready');
    const mebibyte = 'x'.repeat(1 << 20);
    const accepted = await client.write(mebibyte);
    const refused = await client
      .write(mebibyte)
      .catch((error: { code: string; retry: string }) => ({ code: error.code, retry: error.retry }));
    expect([accepted['accepted'], refused]).toEqual([1 << 20, { code: 'session.input-stalled', retry: 'safe' }]);
  });

  it('delivers a 1 MiB paste byte for byte', async () => {
    await using rig = await HolderRig.start();
    await rig.spawn(await rig.control(), 's', ['sh', '-c', 'stty raw -echo; echo ready; head -c 1048576 | sha256sum']);
    const client = await rig.session('s');
    await client.attach();
    await client.sees('ready');
    const paste = Buffer.from(Array.from({ length: 1 << 20 }, (_, index) => 32 + ((index * 7) % 90)));
    await client.write(paste.toString('latin1'));
    const { createHash } = await import('node:crypto');
    await client.sees(createHash('sha256').update(paste).digest('hex'));
  });
});

describe('the child', () => {
  it('has its tty as only descriptor, also after other sessions closed', async () => {
    await using rig = await HolderRig.start();
    const control = await rig.control();
    for (const id of ['a', 'b', 'c', 'd']) await rig.spawn(control, id, ['sleep', '1000']);
    const middle = await rig.session('b');
    await middle.attach();
    await middle.request('kill', { signal: 'SIGKILL' });
    await middle.closes();
    await rig.spawn(control, 'e', [
      'sh',
      '-c',
      'for f in /proc/$$/fd/*; do [ -e $f ] && echo $(basename $f) $(dirname $(readlink $f)); done; exit 0',
    ]);
    expect((await rig.ended('e')).bytes.toString()).toEqual('0 /dev/pts\r\n1 /dev/pts\r\n2 /dev/pts\r\n');
  });

  it('sees a clean UTF-8 256-colour environment whatever the holder was started with', async () => {
    await using rig = await HolderRig.start({
      env: { PATH: process.env['PATH'], CLAUDECODE: '1', TERM: 'dumb', API_SECRET: 'x', HOME: '/' },
    });
    await rig.spawn(await rig.control(), 's', ['env'], { env: { MINE: 'é' } });
    const names = (await rig.ended('s')).bytes.toString().split('\r\n').sort();
    expect(names.filter((line) => !line.startsWith('PATH='))).toEqual(
      [
        '',
        'COLORTERM=truecolor',
        'HOLDFAST_SESSION_ID=s',
        'HOLDFAST_SESSION_MARK=mark-s',
        'HOME=/',
        'LANG=C.UTF-8',
        'MINE=é',
        'PWD=/',
        'TERM=xterm-256color',
      ].sort(),
    );
  });
});

describe('refusals', () => {
  it.each([
    ['a missing program', { command: ['no-such-program'] }, 'session.command-not-found'],
    ['a missing path', { command: ['/nowhere/at/all'] }, 'session.command-not-found'],
    ['a file that is not executable', { command: ['/etc/passwd'] }, 'session.command-not-executable'],
    ['a directory as program', { command: ['/etc'] }, 'session.command-not-executable'],
    ['a missing directory', { command: ['true'], cwd: '/nowhere' }, 'session.cwd-not-found'],
    ['a file as directory', { command: ['true'], cwd: '/etc/passwd' }, 'session.cwd-not-found'],
    ['a NUL', { command: ['tr\0ue'] }, 'request.invalid'],
    ['an id that leaves its directory', { command: ['true'], sessionId: '../evil' }, 'request.invalid'],
  ])('answers %s by type and leaves nothing behind', async (_what, more, code) => {
    await using rig = await HolderRig.start();
    const control = await rig.control();
    const error = await control
      .request('spawn', { spec: { ...spec('s', ['true']), ...more } })
      .catch((thrown: { code: string }) => thrown.code);
    expect([error, existsSync(rig.state.sessionDir('s'))]).toEqual([code, false]);
  });

  it('obeys the highest term only', async () => {
    await using rig = await HolderRig.start();
    const old = await rig.control(3);
    await rig.spawn(old, 's', ['sleep', '1000']);
    const newer = await rig.control(4);
    await newer.request('list');
    await old.closes();
    const stale = await conversation(
      rig.runtime.holderSocket('h1'),
      encodeHello({ protocol: PROTOCOL_VERSION, build: 't', features: [], term: 3 }),
    );
    const staleSession = await conversation(
      rig.runtime.sessionSocket('s'),
      encodeHello({ protocol: PROTOCOL_VERSION, build: 't', features: [], term: 3 }),
    );
    const code = { type: 'response', response: { error: { code: 'holder.stale-term' } } };
    expect([stale, staleSession]).toMatchObject([[code], [code]]);
  });

  it('answers a missing hello, another protocol and an oversized frame by type, and serves on', async () => {
    await using rig = await HolderRig.start();
    const path = rig.runtime.holderSocket('h1');
    const early = await conversation(path, encodeRequest({ id: 1, verb: 'list' }));
    const future = await conversation(path, encodeHello({ protocol: 9, build: 't', features: [], term: 1 }));
    const huge = await conversation(path, frameHeader(2, 10 << 20));
    const client = await rig.control();
    const unknown = await client.request('dance').catch((error: { code: string }) => error.code);
    const list = await client.request('list');
    expect([early, future, huge, unknown, list.head['sessions']]).toMatchObject([
      [{ response: { error: { code: 'protocol.hello-required' } } }],
      [{ response: { error: { code: 'protocol.unsupported-version' } } }],
      [],
      'protocol.unknown-verb',
      [],
    ]);
  });

  it('takes no more sessions than its capacity', async () => {
    await using rig = await HolderRig.start({ capacity: 1 });
    const control = await rig.control();
    const first = await rig.spawn(control, 's', ['sleep', '1000']);
    const again = await rig.spawn(control, 's', ['sleep', '1000']);
    const full = await rig.spawn(control, 't', ['true']).catch((error: { code: string }) => error.code);
    expect([again.head['pid'] === first.head['pid'], full]).toEqual([true, 'holder.full']);
  });
});

describe('life', () => {
  it('brings its sockets back when the runtime directory is swept away', async () => {
    await using rig = await HolderRig.start();
    await rig.spawn(await rig.control(), 's', ['sh', '-c', 'echo hello; exec sleep 1000']);
    rmSync(rig.runtime.runtimeDir, { recursive: true });
    await waitFor(() => existsSync(rig.runtime.sessionSocket('s')), { what: 'the socket comes back' });
    const client = await rig.session('s');
    expect(await client.attach()).toMatchObject({ sessionId: 's', state: 'running' });
  });

  it('ends when it is retired and its last session is over, sockets unlinked', async () => {
    await using rig = await HolderRig.start();
    const control = await rig.control();
    await rig.spawn(control, 's', ['cat']);
    const client = await rig.session('s');
    await client.attach();
    await control.request('retire');
    await client.request('kill', { signal: 'SIGKILL' });
    await control.closes();
    await waitFor(() => !existsSync(`/proc/${rig.pid}/exe`), { what: 'the holder ends' });
    expect([readdirSync(rig.runtime.sessionsDir), readdirSync(rig.runtime.holdersDir)]).toEqual([[], []]);
  });

  it('does not end before the disk has taken the exit of its last session', async () => {
    await using rig = await HolderRig.start({ diskMiB: 2 });
    const control = await rig.control();
    await rig.spawn(control, 's', ['sh', '-c', 'read x; echo bye; exit 9']);
    const client = await rig.session('s');
    await client.attach();
    const ballast = join(rig.state.stateDir, 'ballast');
    fillDisk(ballast);
    await client.write('\n');
    const exited = await client.event('exited');
    await client.closes();
    await control.request('retire');
    const whileFull = existsSync(rig.state.exitFile('s', 1));
    rmSync(ballast);
    const { exit } = await rig.ended('s');
    await control.closes();
    expect([(exited['record'] as { exit: object }).exit, whileFull, exit]).toEqual([{ code: 9 }, false, { code: 9 }]);
  });

  it('goes on by itself when a hold is not renewed', async () => {
    await using rig = await HolderRig.start();
    await rig.spawn(await rig.control(), 's', ['sh', '-c', 'read x; echo after']);
    const client = await rig.session('s');
    await client.attach();
    await client.request('hold', { forMs: 50 });
    await client.write('\n');
    await client.sees('after');
  });

  it('keeps sessions when its terminal hangs up or a service manager terminates it', async () => {
    await using rig = await HolderRig.start();
    await rig.spawn(await rig.control(), 's', ['cat']);
    rig.kill('SIGHUP');
    rig.kill('SIGTERM');
    const client = await rig.session('s');
    expect(await client.attach()).toMatchObject({ state: 'running' });
  });

  it('records sizes by offset and signals only real changes', async () => {
    await using rig = await HolderRig.start();
    await rig.spawn(await rig.control(), 's', ['sh', '-c', 'trap "stty size" WINCH; echo ready; while :; do read x; done']);
    const client = await rig.session('s');
    await client.attach();
    await client.sees('ready');
    const equal = await client.request('resize', { cols: 80, rows: 24 });
    const changed = await client.request('resize', { cols: 100, rows: 30 });
    await client.sees('30 100');
    const { JournalReader } = await import('@holdfast/platform-session-store');
    const sizes = await waitFor(
      () => {
        const found = JournalReader.open(rig.state.epochDir('s', 1)).sizes();
        return found.length === 2 ? found : undefined;
      },
      { what: 'both sizes on disk' },
    );
    expect([equal.head['changed'], changed.head['changed'], sizes]).toEqual([
      false,
      true,
      [
        { offset: 0, cols: 80, rows: 24 },
        { offset: 7, cols: 100, rows: 30 },
      ],
    ]);
  });
});

/** Takes every block there is, down to the last page. */
function fillDisk(path: string): void {
  for (const block of [Buffer.alloc(64 * 1024), Buffer.alloc(4096)]) {
    try {
      for (;;) appendFileSync(path, block);
    } catch {
      // no room for another one of this size
    }
  }
}
