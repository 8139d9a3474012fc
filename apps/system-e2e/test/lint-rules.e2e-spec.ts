/** The canary of the layer rule: without Nx's project graph it is silently skipped, and nobody would notice. */
import { launch } from '@holdfast/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const CHECKOUT = join(import.meta.dirname, '..', '..', '..');

/** Lints text as if it were that file: nothing is written into the tree. */
function lint(file: string, text: string): string {
  const eslint = join(CHECKOUT, 'node_modules', 'eslint', 'bin', 'eslint.js');
  const { stdout, stderr } = spawnSync(process.execPath, [eslint, '--no-color', '--stdin', '--stdin-filename', file], {
    cwd: CHECKOUT,
    input: text,
    encoding: 'utf8',
  });
  return stdout + stderr;
}

describe('the lint', () => {
  beforeAll(async () => {
    await using nx = await launch(process.execPath, {
      arguments: [join(CHECKOUT, 'node_modules', '.bin', 'nx'), 'show', 'projects'],
      cwd: CHECKOUT,
      environment: { ...process.env, NX_DAEMON: 'false' },
    });
    expect(await nx.exit).toEqual({ code: 0, signal: null });
  });

  it.each([
    [
      'libs/contracts/src/canary.ts',
      `import { DEFAULT_SIZE } from '@holdfast/domain-session';\nexport const size = DEFAULT_SIZE;\n`,
      'layer:contracts',
    ],
    [
      'libs/testing/src/canary.ts',
      `import { subjectRoot } from '@holdfast/contracts';\nexport const root = subjectRoot('x');\n`,
      'layer:testing',
    ],
    [
      'libs/client/src/canary.ts',
      `import { loadConfig } from '@holdfast/platform-config';\nexport const config = loadConfig({});\n`,
      'layer:client',
    ],
    [
      'libs/platform/config/src/canary.ts',
      `import { HoldfastClient } from '@holdfast/client';\nexport const client = HoldfastClient;\n`,
      'layer:platform',
    ],
  ])('refuses an import against the layers in %s', (file, text, tag) => {
    expect(lint(file, text)).toContain(`A project tagged with "${tag}" can only depend on libs tagged with`);
  });

  it('keeps pure libraries pure', () => {
    const output = lint(
      'libs/domain/session/src/canary.ts',
      `import { readFileSync } from 'node:fs';\nexport const facts = [Date.now(), process.pid, readFileSync('x')];\n`,
    );
    const rules = ['no-restricted-imports', 'no-restricted-properties', 'no-restricted-globals'];
    expect(rules.filter((rule) => !output.includes(rule))).toEqual([]);
  });

  it('lets an allowed import pass', () => {
    expect(
      lint('apps/gateway/src/canary.ts', `import { ServiceError } from '@holdfast/kernel';\nexport const error = ServiceError;\n`),
    ).toBe('');
  });
});
