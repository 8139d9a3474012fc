/** What must hold of every file: format, lint with the project graph built (import rules need it), types of code and specs. */
import { spawnSync } from 'node:child_process';
import { CHECKOUT, say } from './bootstrap.mjs';

const RULES = {
  format: ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'],
  'lint and types': ['node_modules/.bin/nx', 'run-many', '-t', 'lint', 'typecheck', '--output-style=static'],
};

/** @returns {{ passed: string[], failed: string[] }} names of the rules */
export function checkRules() {
  const passed = [];
  const failed = [];
  for (const [name, args] of Object.entries(RULES)) {
    say(name);
    const env = { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' };
    const { status } = spawnSync(process.execPath, args, { cwd: CHECKOUT, env, stdio: ['ignore', 'inherit', 'inherit'] });
    (status === 0 ? passed : failed).push(name);
  }
  return { passed, failed };
}
