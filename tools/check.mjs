/** `npm run check`: what must be right before a commit, within a minute: format, lint, types, unit tests. */
import { prepare, say } from './bootstrap.mjs';

prepare({ programs: [] });
const { checkRules } = await import('./rules.mjs');
const { runStage } = await import('./jest-stage.mjs');

const { failed: faults } = checkRules();
const { passed, failed, skipped } = await runStage({ name: 'unit', workers: 2 });
if (failed > 0 || passed === 0) faults.push('unit tests');
say(`unit tests: ${passed} passed, ${failed} failed, ${skipped} skipped`);
say(faults.length === 0 ? 'all right' : `not right: ${faults.join(', ')}`);
process.exitCode = faults.length === 0 ? 0 : 1;
