/** Bundles the holder into dist/holder.cjs with node-pty's binding beside it, and the starter: files to copy and start anywhere. */
import { build } from 'esbuild';
import { copyFileSync, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const here = import.meta.dirname;
for (const [entry, bundle] of [
  ['main', 'holder'],
  ['starter', 'starter'],
]) {
  await build({
    entryPoints: [join(here, `dist/${entry}.js`)],
    outfile: join(here, `dist/${bundle}.cjs`),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    legalComments: 'none',
  });
}

const nodePty = dirname(createRequire(import.meta.url).resolve('node-pty/package.json'));
const candidates = [`prebuilds/${process.platform}-${process.arch}/pty.node`, 'build/Release/pty.node'].map((path) => join(nodePty, path));
const binding = candidates.find((path) => existsSync(path));
if (!binding) throw new Error(`node-pty has no binding for ${process.platform}-${process.arch}; looked for ${candidates.join(', ')}`);
copyFileSync(binding, join(here, 'dist/pty.node'));
