/** `/v1/sessions`: parses what comes in, says what goes out. */
import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  createSessionSchema,
  idSchema,
  inputSchema,
  killRequestSchema,
  listSessionsQuerySchema,
  outputQuerySchema,
  resizeSchema,
  type KillReport,
  type Session,
  type SessionList,
} from '@holdfast/contracts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { Asker } from '../access/access.guard.js';
import type { Principal } from '../access/principal.js';
import { parseRequest } from '../http/invalid-request.error.js';
import { OCTET_STREAM, binaryBody, jsonBody, type ParsedRequest } from '../http/request-body.js';
import { bytesOfInput, requireFits } from './input-bytes.js';
import { pageOfSessions } from './session-list.policy.js';
import { SessionsService, type Handle } from './sessions.service.js';

const epochHeaderSchema = z.coerce.number().int().min(1).optional();
const killQuerySchema = z.object({ purge: z.enum(['true', 'false']).optional() });

@Controller('v1/sessions')
export class SessionsController {
  constructor(@Inject(SessionsService) private readonly sessions: SessionsService) {}

  /** 201 for a new session, 200 when the same one was there already. */
  @Post()
  async create(
    @Req() request: ParsedRequest,
    @Res({ passthrough: true }) response: ServerResponse,
    @Asker() asker: Principal,
  ): Promise<Session> {
    const { session, created } = await this.sessions.create(jsonBody(request, createSessionSchema), asker);
    response.statusCode = created ? 201 : 200;
    response.setHeader('Location', `/v1/sessions/${session.sessionId}`);
    return session;
  }

  @Get()
  async list(@Query() query: unknown): Promise<SessionList> {
    const parsed = parseRequest(listSessionsQuerySchema, query);
    return pageOfSessions(await this.sessions.list(), parsed);
  }

  @Get(':id')
  get(@Param('id') id: string, @Req() request: IncomingMessage): Promise<Session> {
    return this.sessions.get(handleOf(id, request));
  }

  /** The bytes themselves; where they begin and where to go on is in the headers. */
  @Get(':id/output')
  async output(
    @Param('id') id: string,
    @Query() query: unknown,
    @Req() request: IncomingMessage,
    @Res() response: ServerResponse,
  ): Promise<void> {
    const { sessionId, epoch: expectedEpoch } = handleOf(id, request);
    const range = withoutAbsent(parseRequest(outputQuerySchema, query));
    const output = await this.sessions.output({ sessionId, ...range, ...(expectedEpoch === undefined ? {} : { expectedEpoch }) });
    response.writeHead(200, {
      'Content-Type': OCTET_STREAM,
      'Content-Length': output.bytes.length,
      'Holdfast-Epoch': output.epoch,
      'Holdfast-Offset': output.offset,
      'Holdfast-Next-Offset': output.nextOffset,
    });
    response.end(output.bytes);
  }

  @Post(':id/input')
  @HttpCode(200)
  async input(@Param('id') id: string, @Req() request: ParsedRequest): Promise<{ accepted: number }> {
    const handle = handleOf(id, request);
    const bytes = binaryBody(request) ?? bytesOfInput(jsonBody(request, inputSchema));
    requireFits(bytes);
    return this.sessions.input(handle, bytes);
  }

  @Post(':id/resize')
  @HttpCode(200)
  async resize(@Param('id') id: string, @Req() request: ParsedRequest): Promise<{ cols: number; rows: number; offset: number }> {
    const handle = handleOf(id, request);
    const size = jsonBody(request, resizeSchema);
    return { ...size, ...(await this.sessions.resize(handle, size)) };
  }

  /** The same report again when asked again. */
  @Delete(':id')
  kill(@Param('id') id: string, @Query() query: unknown, @Req() request: ParsedRequest): Promise<KillReport> {
    const handle = handleOf(id, request);
    const { purge } = parseRequest(killQuerySchema, query);
    const { graceMs } = jsonBody(request, killRequestSchema);
    return this.sessions.kill(handle, { graceMs, purge: purge === 'true' });
  }
}

/** The id of the path and the header `Holdfast-Epoch`. */
function handleOf(id: string, request: IncomingMessage): Handle {
  const sessionId = parseRequest(idSchema, id, `session id ${JSON.stringify(id.slice(0, 100))}`);
  const epoch = parseRequest(epochHeaderSchema, request.headers['holdfast-epoch'], 'Holdfast-Epoch');
  return { sessionId, ...(epoch === undefined ? {} : { epoch }) };
}

type WithoutAbsent<Values> = { [Name in keyof Values]: Exclude<Values[Name], undefined> };

/** Leaves out what is undefined: an absent field and one that is undefined are not the same to a schema. */
function withoutAbsent<Values extends object>(values: Values): Partial<WithoutAbsent<Values>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<WithoutAbsent<Values>>;
}
