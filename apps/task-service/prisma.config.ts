/** What the Prisma CLI needs to generate the client without a network. */
import { defineConfig } from 'prisma/config';

// The CLI downloads a native schema engine before every command, `generate` included, which never runs it.
// A path set here stops that; migrations go through tools/prisma-migrate.mjs, which uses the WebAssembly engine.
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;
process.env['CHECKPOINT_DISABLE'] ??= '1';

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env['DATABASE_URL'] ?? 'file:./dev.db' },
});
