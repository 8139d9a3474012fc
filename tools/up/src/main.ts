/** `up`: starts the services of one instance and keeps them running until Ctrl-C. */
import { ExitCode } from '@holdfast/contracts';
import { USAGE, parseArguments } from './arguments.js';
import { runUp } from './launcher.js';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());

// Whoever reads us may be gone, and a file on a full disk takes no line: neither ends the services.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);

const parsed = parseArguments(process.argv.slice(2), process.env['INIT_CWD'] ?? process.cwd());
if ('help' in parsed) {
  process.stdout.write(USAGE);
} else if ('fault' in parsed) {
  process.stderr.write(`holdfast: ${parsed.fault}\n\n${USAGE}`);
  process.exitCode = ExitCode.usage;
} else {
  process.exitCode = await runUp(parsed.run, {
    environment: process.env,
    stop: stop.signal,
    report: (line) => process.stderr.write(`holdfast: ${line}\n`),
    ready: (line) => process.stdout.write(`${line}\n`),
  });
}
