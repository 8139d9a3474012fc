/** `npm run check`: what must be right before a commit, within a minute: format, lint, types, unit tests. */
import { spawnSync } from 'node:child_process';
import { CHECKOUT, prepare, say } from './bootstrap.mjs';

prepare({ programs: [] });
const { runStage } = await import('./jest-stage.mjs');

const environment = { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' };
const faults = [];
check('format', ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.']);
check('lint and types', ['node_modules/.bin/nx', 'run-many', '-t', 'lint', 'typecheck', '--output-style=static']);
const { passed, failed, skipped } = await runStage({ name: 'unit', workers: 2 });
if (failed > 0 || passed === 0) faults.push('unit tests');
say(`unit tests: ${passed} passed, ${failed} failed, ${skipped} skipped`);
say(faults.length === 0 ? 'all right' : `not right: ${faults.join(', ')}`);
process.exitCode = faults.length === 0 ? 0 : 1;

function check(what, args) {
  say(what);
  const { status } = spawnSync(process.execPath, args, { cwd: CHECKOUT, env: environment, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) faults.push(what);
}
