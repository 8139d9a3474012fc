/** Documents that name files must name files that exist, and the environment table must be the schema's. */
import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const CHECKOUT = join(import.meta.dirname, '..', '..', '..');
const documents = ['README.md', 'docs/architecture.md', ...readdirSync(join(CHECKOUT, 'docs/adr')).map((name) => `docs/adr/${name}`)];

const read = (path: string): string => readFileSync(join(CHECKOUT, path), 'utf8');

/** Paths in backquotes that start in a folder of ours, and targets of links. */
function pathsIn(document: string): string[] {
  const text = read(document);
  const quoted = [...text.matchAll(/`((?:apps|libs|tools|docs|deploy)\/[\w./-]+|[\w-]+\.(?:mjs|json))`/g)].map((match) => match[1] ?? '');
  const linked = [...text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((match) => join(dirname(document), match[1] ?? ''));
  return [...quoted.filter((path) => !PRODUCED.includes(path)), ...linked];
}

/** Names of files that exist in a state directory, not in the checkout. */
const PRODUCED = ['up.json', 'exit.json', 'session.json', 'apps/dashboard/dist'];

describe('documents', () => {
  it.each(documents)('%s names only files that exist', (document) => {
    expect(pathsIn(document).filter((path) => !existsSync(join(CHECKOUT, path)))).toEqual([]);
  });

  it('keep to their length', () => {
    const lines = (path: string) => read(path).split('\n').length - 1;
    expect(lines('docs/architecture.md')).toBeLessThanOrEqual(250);
    expect(documents.filter((path) => path.startsWith('docs/adr/') && lines(path) > 80)).toEqual([]);
  });

  it('list exactly the variables that are read', () => {
    const declared = [...read('libs/platform/config/src/variables.ts').matchAll(/^ {2}(HOLDFAST_\w+): \{/gm)].map((match) => match[1]);
    const documented = [...read('README.md').matchAll(/^\| `(HOLDFAST_\w+)`/gm)].map((match) => match[1]);
    expect(documented.sort()).toEqual(declared.sort());
  });
});
