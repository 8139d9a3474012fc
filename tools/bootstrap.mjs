/** Makes a fresh clone runnable: dependencies, programs of the system, build. Plain Node without packages, since it runs before they are there. */
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';

export const CHECKOUT = join(import.meta.dirname, '..');
const BUILD_STAMP = join(CHECKOUT, '.nx', 'holdfast-build');
/** What `up` cannot do without. */
const EXIT_MISSING_PROGRAM = 3;
const EXIT_FAILED = 1;

/** program → Debian package. */
const PACKAGES = {
  'nats-server': 'nats-server',
  flock: 'util-linux',
  setpriv: 'util-linux',
  chromium: 'chromium',
  tmux: 'tmux',
  dtach: 'dtach',
  ps: 'procps',
  less: 'less',
  make: 'make',
  'g++': 'g++',
  python3: 'python3',
  vi: 'vim-tiny',
};

/** Progress goes to standard error: standard output belongs to the program that follows. */
export function say(line) {
  process.stderr.write(`holdfast: ${line}\n`);
}

/**
 * Everything up to a built checkout, or the end of the process with a line that says what to do.
 * Two at once wait for each other.
 * @param {{ programs: readonly string[] }} needs names of `PACKAGES`
 */
export function prepare({ programs }) {
  mkdirSync(join(CHECKOUT, '.nx'), { recursive: true });
  const lock = openSync(join(CHECKOUT, '.nx', 'bootstrap.lock'), 'w');
  spawnSync('flock', ['--exclusive', '3'], { stdio: ['ignore', 'ignore', 'ignore', lock] });
  try {
    installPrograms(programs);
    installDependencies();
    build();
  } finally {
    closeSync(lock);
  }
}

/** Runs a program quietly; what it printed is shown when it fails, and the process ends. */
function runQuietly(program, args, what, environment = {}) {
  const result = spawnSync(program, args, {
    cwd: CHECKOUT,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 << 20,
  });
  if (result.status === 0) return;
  process.stderr.write(result.stdout ?? '');
  process.stderr.write(result.stderr ?? '');
  say(`${what} failed${result.error ? `: ${result.error.message}` : ''}`);
  process.exit(EXIT_FAILED);
}

export function installPrograms(programs) {
  const missing = [...new Set(programs.filter((name) => !isInstalled(name)).map((name) => PACKAGES[name]))];
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0) {
    say(`missing: ${missing.join(', ')}. Install with: sudo apt-get update && sudo apt-get install -y ${missing.join(' ')}`);
    process.exit(EXIT_MISSING_PROGRAM);
  }
  say(`installing ${missing.join(', ')}`);
  const quiet = { DEBIAN_FRONTEND: 'noninteractive' };
  runQuietly('apt-get', ['update'], 'apt-get update', quiet);
  runQuietly('apt-get', ['install', '-y', '--no-install-recommends', ...missing], 'apt-get install', quiet);
}

export function isInstalled(program) {
  const directories = [...(process.env['PATH'] ?? '').split(':'), '/usr/local/sbin', '/usr/sbin', '/sbin'];
  return directories.some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return directory !== '';
    } catch {
      return false;
    }
  });
}

function installDependencies() {
  if (dependenciesAreCurrent()) return;
  // A package with native code is compiled where no ready-made binary can be had.
  if (process.getuid?.() === 0) installPrograms(['make', 'g++', 'python3']);
  say('installing dependencies (npm ci), a minute or two');
  runQuietly('npm', ['ci', '--no-audit', '--no-fund'], 'npm ci');
}

/** Compares the lock with what npm noted about its last install: exact, and cheap enough to do at every start. */
function dependenciesAreCurrent() {
  const wanted = packagesOf(join(CHECKOUT, 'package-lock.json'));
  const installed = packagesOf(join(CHECKOUT, 'node_modules', '.package-lock.json'));
  if (wanted === undefined || installed === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith('node_modules/')) return true;
    const found = installed[path];
    if (found === undefined) return entry.optional === true || entry.devOptional === true || entry.peer === true;
    return found.version === entry.version;
  });
}

function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** Programs a build must have made; one that was deleted is made again. */
const OUTPUTS = [
  'tools/up/dist/main.js',
  'apps/gateway/dist/main.js',
  'apps/session-supervisor/dist/main.js',
  'apps/task-service/dist/main.js',
  'apps/reaper/dist/main.js',
  'apps/dashboard/dist/index.html',
];

function build() {
  const fingerprint = sourceFingerprint();
  const isCurrent = existsSync(BUILD_STAMP) && readFileSync(BUILD_STAMP, 'utf8') === fingerprint;
  if (isCurrent && OUTPUTS.every((path) => existsSync(join(CHECKOUT, path)))) return;
  say('building');
  const nx = ['node_modules/.bin/nx', 'run-many', '-t', 'build'];
  runQuietly(process.execPath, nx, 'the build', { NX_DAEMON: 'false', NX_TUI: 'false' });
  writeFileSync(BUILD_STAMP, fingerprint);
}

/** Names, sizes and times of all that goes into the build: much cheaper than asking nx. */
function sourceFingerprint() {
  const hash = createHash('sha256');
  for (const name of ['package-lock.json', 'nx.json', 'tsconfig.base.json']) addFile(hash, join(CHECKOUT, name));
  for (const name of ['apps', 'libs', 'tools']) addDirectory(hash, join(CHECKOUT, name));
  return hash.digest('hex');
}

const NOT_BUILT_FROM = ['generated', 'test-results', 'node_modules', 'dist', 'dist-types', 'test', 'coverage'];

function addDirectory(hash, directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(directory, entry.name);
    if (entry.isDirectory() && !NOT_BUILT_FROM.includes(entry.name)) addDirectory(hash, path);
    else if (entry.isFile() && !/\.spec\.tsx?$|\.md$/.test(entry.name)) addFile(hash, path);
  }
}

function addFile(hash, path) {
  const { size, mtimeMs } = statSync(path);
  hash.update(`${path} ${size} ${mtimeMs}\0`);
}
