/** The dashboard's files, as they were built. */
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ServiceError } from '@holdfast/kernel';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendProblem } from './problem.filter.js';

/** Vite puts a hash of the content into every name below here: such a file never changes. */
const HASHED_DIR = 'assets';

/** Without a build `/` says so; everything else goes on to the API. */
export function serveDashboard(app: NestExpressApplication, directory: string): void {
  if (!existsSync(join(directory, 'index.html'))) {
    app.use((request: IncomingMessage, response: ServerResponse, next: () => void) =>
      request.url === '/' ? sayThereIsNone(response) : next(),
    );
    return;
  }
  app.useStaticAssets(directory, {
    redirect: false,
    setHeaders: (response: ServerResponse, path: string) => {
      const isHashed = basename(dirname(path)) === HASHED_DIR;
      response.setHeader('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
}

function sayThereIsNone(response: ServerResponse): void {
  sendProblem(
    response,
    new ServiceError(
      'route.not-found',
      'this gateway has no dashboard: build apps/dashboard, or name its folder in HOLDFAST_DASHBOARD_DIR',
    ),
  );
}
