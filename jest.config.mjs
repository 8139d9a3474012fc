/** All projects' tests in one run, for `npm test` and `npm run check`; a single project's run through its nx targets. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const parents = ['apps', 'libs', 'libs/domain', 'libs/platform', 'tools'];
const configurations = parents
  .flatMap((parent) =>
    readdirSync(join(import.meta.dirname, parent)).map((name) => join(import.meta.dirname, parent, name, 'jest.config.mjs')),
  )
  .filter((path) => existsSync(path));
const projects = await Promise.all(configurations.map(async (path) => (await import(path)).default));

export default {
  testTimeout: 60_000,
  projects: projects.flatMap((project) => project.projects),
};
