/** `npm test`: sets up what the tests need, runs all of them, and ends with one line that counts. Nothing is taken from a cache. */
import { prepare } from './bootstrap.mjs';

const USAGE = 'Usage: npm test [-- [rules] [unit] [integration] [e2e] [--only PATTERN]]\n';
/** Jest's workers by stage; `rules` (format, lint, types) is no stage of Jest's. */
const WORKERS = { rules: 0, unit: 2, integration: 2, e2e: 1 };

const { stages, pattern } = parse(process.argv.slice(2));
// Every program a test can need: no test is skipped for want of one.
prepare({ programs: ['flock', 'setpriv', 'nats-server', 'chromium', 'tmux', 'dtach', 'ps', 'less', 'vi'] });
const { checkRules } = await import('./rules.mjs');
const { runStage } = await import('./jest-stage.mjs');

const total = { passed: 0, failed: 0, skipped: 0 };
for (const name of stages) {
  const counted = name === 'rules' ? countRules() : await runStage({ name, workers: WORKERS[name], pattern });
  for (const kind of Object.keys(total)) total[kind] += counted[kind];
}
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;

function countRules() {
  const { passed, failed } = checkRules();
  return { passed: passed.length, failed: failed.length, skipped: 0 };
}

function parse(argv) {
  const chosen = [];
  let only;
  for (let at = 0; at < argv.length; at += 1) {
    if (Object.hasOwn(WORKERS, argv[at])) chosen.push(argv[at]);
    else if (argv[at] === '--only' && argv[at + 1] !== undefined) only = argv[(at += 1)];
    else {
      process.stderr.write(USAGE);
      process.exit(2);
    }
  }
  return { stages: chosen.length > 0 ? chosen : Object.keys(WORKERS), pattern: only };
}
