/** `/v1/reaper`: its counters, its dry run, a sweep now, its audit. */
import { Controller, Get, HttpCode, Inject, Post, Query, Req } from '@nestjs/common';
import { auditQuerySchema, type ReaperAudit, type ReaperPlan, type ReaperStatus } from '@holdfast/contracts';
import { z } from 'zod';
import { Asker } from '../access/access.guard.js';
import type { Principal } from '../access/principal.js';
import { Broker } from '../broker/broker.js';
import { parseRequest } from '../http/invalid-request.error.js';
import { jsonBody, type ParsedRequest } from '../http/request-body.js';

const emptySchema = z.strictObject({});

@Controller('v1/reaper')
export class ReaperController {
  constructor(@Inject(Broker) private readonly broker: Broker) {}

  @Get()
  status(): Promise<ReaperStatus> {
    return this.broker.ask({ service: 'reaper', verb: 'status', body: {}, whenLost: 'safe' });
  }

  @Get('plan')
  plan(): Promise<ReaperPlan> {
    return this.broker.ask({ service: 'reaper', verb: 'plan', body: {}, whenLost: 'safe' });
  }

  /** A sweep more does no harm, so one whose answer is lost may be asked for again. */
  @Post('sweep')
  @HttpCode(200)
  sweep(@Req() request: ParsedRequest, @Asker() asker: Principal): Promise<ReaperPlan> {
    jsonBody(request, emptySchema);
    return this.broker.ask({ service: 'reaper', verb: 'sweep', body: { by: `operator:${asker.name}` }, whenLost: 'safe' });
  }

  /** Newest first. */
  @Get('audit')
  audit(@Query() query: unknown): Promise<ReaperAudit> {
    const { limit } = parseRequest(auditQuerySchema, query);
    return this.broker.ask({ service: 'reaper', verb: 'audit', body: limit === undefined ? {} : { limit }, whenLost: 'safe' });
  }
}
