/** The house rules a machine can check: layers, pure libraries, types, hooks. Run through nx: without its project graph the layer rule is skipped. */
import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** layer → the layers it may import (allow-lists: anything not named is refused). */
const layers = {
  kernel: [],
  domain: ['kernel', 'domain'],
  contracts: ['kernel'],
  'attach-protocol': ['kernel'],
  platform: ['kernel', 'domain', 'contracts', 'attach-protocol', 'platform', 'testing'],
  client: ['kernel', 'contracts', 'testing'],
  testing: ['kernel'],
  app: ['kernel', 'domain', 'contracts', 'attach-protocol', 'platform', 'client', 'testing'],
};

const depConstraints = Object.entries(layers).map(([layer, allowed]) => ({
  sourceTag: `layer:${layer}`,
  onlyDependOnLibsWithTags: allowed.map((name) => `layer:${name}`),
}));

const pureLibraries = ['libs/kernel/src/**/*.ts', 'libs/domain/*/src/**/*.ts', 'libs/contracts/src/**/*.ts'];
const specs = ['**/*.spec.ts', '**/*.spec.tsx', '**/*.int-spec.ts', '**/*.e2e-spec.ts', '**/*.fault-spec.ts'];
const impure = 'A pure library takes time and facts as values; waiting, reading and printing are the shell’s.';

export default tseslint.config(
  { ignores: ['**/dist', '**/dist-types', '**/src/generated', '**/node_modules', '**/coverage', '**/test-results', '.nx'] },
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        { enforceBuildableLibDependency: false, banTransitiveDependencies: false, allow: [], depConstraints },
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false }],
    },
  },
  {
    rules: {
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'], location: 'start' }],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportAllDeclaration:not([exported])', message: 'An index lists its names by hand.' },
        { selector: 'TSEnumDeclaration', message: 'Use an `as const` object.' },
      ],
    },
  },
  {
    files: ['apps/dashboard/src/**/*.{ts,tsx}'],
    ...reactHooks.configs.flat['recommended-latest'],
  },
  {
    files: pureLibraries,
    ignores: specs,
    rules: {
      'no-restricted-imports': ['error', { patterns: [{ regex: '^node:', message: impure }] }],
      'no-restricted-globals': [
        'error',
        ...['process', 'console', 'setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'performance', 'Buffer', 'fetch'].map(
          (name) => ({
            name,
            message: impure,
          }),
        ),
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: impure },
        { object: 'Math', property: 'random', message: impure },
        ...['process', 'console', 'setTimeout', 'setInterval', 'performance'].map((property) => ({
          object: 'globalThis',
          property,
          message: impure,
        })),
      ],
    },
  },
  prettier,
);
