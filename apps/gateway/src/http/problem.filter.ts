/** The one place where errors become HTTP answers. */
import { Catch, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { PROBLEM_CONTENT_TYPE } from '@holdfast/contracts';
import type { ServerResponse } from 'node:http';
import { problemOf, serviceErrorOf } from './problem.js';

@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Problem');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<ServerResponse>();
    const error = serviceErrorOf(thrown);
    if (error.code === 'internal') this.logger.error(error.cause ?? error);
    if (response.headersSent) response.destroy();
    else sendProblem(response, error);
  }
}

export function sendProblem(response: ServerResponse, error: ReturnType<typeof serviceErrorOf>): void {
  const problem = problemOf(error);
  const retryAfterMs = error.detail?.['retryAfterMs'];
  if (typeof retryAfterMs === 'number') response.setHeader('Retry-After', Math.ceil(retryAfterMs / 1000));
  if (problem.status === 401) response.setHeader('WWW-Authenticate', 'Bearer realm="holdfast"');
  response.statusCode = problem.status;
  response.setHeader('Content-Type', PROBLEM_CONTENT_TYPE);
  response.setHeader('Cache-Control', 'no-store');
  response.end(JSON.stringify(problem));
}
