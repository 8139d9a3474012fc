/** Jest as ES modules (Nest 12 is ESM only): `unit` runs the specs in src, `integration` the int-specs in test with real parts, `e2e` the journeys. */
const shared = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/dist-types'],
  transform: {
    '^.+\\.tsx?$': [
      '@swc/jest',
      {
        swcrc: false,
        sourceMaps: 'inline',
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true, tsx: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, react: { runtime: 'automatic' } },
        },
        module: { type: 'es6' },
      },
    ],
  },
};

/** @param {string} rootDir the project's folder */
export const projectConfig = (rootDir) => ({
  passWithNoTests: true,
  testTimeout: 60_000,
  projects: [
    { ...shared, rootDir, displayName: 'unit', testMatch: ['<rootDir>/src/**/*.spec.{ts,tsx}'] },
    { ...shared, rootDir, displayName: 'integration', testMatch: ['<rootDir>/test/**/*.int-spec.ts'] },
    { ...shared, rootDir, displayName: 'e2e', testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'] },
  ],
});
