/** Runs one stage of the tests (all projects at once) and counts. Plain Node: what is counted must not depend on what is built. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from './bootstrap.mjs';

/** A stage that hangs is a failure, not a job that never ends. */
const STAGE_WITHIN_MS = 8 * 60_000;

/**
 * @param {{ name: 'unit' | 'integration' | 'e2e', workers: number, pattern?: string }} stage
 * @returns {Promise<{ passed: number, failed: number, skipped: number }>}
 */
export async function runStage({ name, workers, pattern }) {
  const results = join(CHECKOUT, 'test-results', `${name}.json`);
  mkdirSync(join(CHECKOUT, 'test-results'), { recursive: true });
  rmSync(results, { force: true });
  const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const options = ['--selectProjects', name, '--maxWorkers', String(workers), '--json', '--outputFile', results];
  const code = await run([...jest, ...options, ...(pattern === undefined ? [] : ['--testPathPatterns', pattern])]);
  return count(results, code);
}

function run(args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: CHECKOUT, stdio: ['ignore', 'ignore', 'inherit'] });
    const late = setTimeout(() => child.kill('SIGKILL'), STAGE_WITHIN_MS);
    child.once('exit', (code) => {
      clearTimeout(late);
      resolve(code);
    });
  });
}

function count(results, code) {
  let report;
  try {
    report = JSON.parse(readFileSync(results, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && code !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
