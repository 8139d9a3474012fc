/** What the directory says of hosts as beats come and stop coming. */
import { expect, it } from '@jest/globals';
import type { HostBeat } from '@holdfast/contracts';
import type { LinkWatcher } from '../link/supervisor-link.js';
import { HostDirectory } from './host-directory.js';

function setUp() {
  const clock = { now: 0 };
  const watchers: LinkWatcher[] = [];
  const link = {
    host: undefined as { hostId: string; term: number } | undefined,
    watch: (watcher: LinkWatcher) => void watchers.push(watcher),
  };
  const hosts = new HostDirectory(link, () => clock.now);
  const connect = (hostId: string, term: number) => {
    link.host = { hostId, term };
    for (const watcher of watchers) watcher.linkUp();
  };
  return { clock, link, hosts, connect };
}

const beat = (hostId: string, term = 1): HostBeat => ({
  ...{ instance: 'test', hostId, bootId: 'boot', term, seq: 1, capacity: { sessions: 0, holders: 0 }, sessions: [] },
});

it('calls a host silent after three missed beats, and forgets it after an hour', () => {
  const { clock, hosts } = setUp();
  hosts.take(beat('b'));
  const seen = [15_000, 15_001, 3_600_000].map((now) => {
    clock.now = now;
    return hosts.all().map(({ status, lastBeatAgoMs }) => [status, lastBeatAgoMs]);
  });
  clock.now = 3_600_001;
  hosts.take(beat('a'));
  expect([seen, hosts.all().map(({ hostId }) => hostId)]).toEqual([
    [[['ok', 15_000]], [['unreachable', 15_001]], [['unreachable', 3_600_000]]],
    ['a'],
  ]);
});

it('goes by the link for its own host, whatever its beats say, and puts it first', () => {
  const { link, hosts, connect } = setUp();
  hosts.take(beat('a'));
  hosts.take(beat('own'));
  connect('own', 2);
  const up = hosts.all();
  link.host = undefined;
  expect([up.map(({ hostId, link: how, term }) => [hostId, how, term]), hosts.own?.status]).toEqual([
    [
      ['own', 'up', 2],
      ['a', 'none', 1],
    ],
    'unreachable',
  ]);
});
