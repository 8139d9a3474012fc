/** `/v1/tasks`: parses what comes in, says what goes out. */
import { Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  createTaskSchema,
  idSchema,
  listTasksQuerySchema,
  taskTransitionSchema,
  type Task,
  type TaskHistory,
  type TaskList,
} from '@holdfast/contracts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { Asker } from '../access/access.guard.js';
import type { Principal } from '../access/principal.js';
import { parseRequest } from '../http/invalid-request.error.js';
import { jsonBody, type ParsedRequest } from '../http/request-body.js';
import { TasksService, type By, type TaskEnding } from './tasks.service.js';

const idempotencyKeySchema = z.string().trim().min(1).max(200).optional();
const emptySchema = z.strictObject({});

@Controller('v1/tasks')
export class TasksController {
  constructor(@Inject(TasksService) private readonly tasks: TasksService) {}

  /** 201 for a new task, 200 when the same create made it before. */
  @Post()
  async create(
    @Req() request: ParsedRequest,
    @Res({ passthrough: true }) response: ServerResponse,
    @Asker() asker: Principal,
  ): Promise<Task> {
    const idempotencyKey = keyOf(request);
    const body = jsonBody(request, createTaskSchema);
    const { task, created } = await this.tasks.create(body, {
      by: byOf(asker),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
    response.statusCode = created ? 201 : 200;
    response.setHeader('Location', `/v1/tasks/${task.taskId}`);
    return task;
  }

  @Get()
  list(@Query() query: unknown): Promise<TaskList> {
    return this.tasks.list(parseRequest(listTasksQuerySchema, query));
  }

  @Get(':id')
  get(@Param('id') id: string): Promise<Task> {
    return this.tasks.get(taskIdOf(id));
  }

  @Get(':id/events')
  events(@Param('id') id: string): Promise<TaskHistory> {
    return this.tasks.events(taskIdOf(id));
  }

  @Post(':id/launch')
  @HttpCode(200)
  launch(@Param('id') id: string, @Req() request: ParsedRequest, @Asker() asker: Principal): Promise<Task> {
    jsonBody(request, emptySchema);
    return this.tasks.launch(taskIdOf(id), byOf(asker));
  }

  @Post(':id/complete')
  @HttpCode(200)
  complete(@Param('id') id: string, @Req() request: ParsedRequest, @Asker() asker: Principal): Promise<Task> {
    return this.end('complete', { id, request, asker });
  }

  @Post(':id/terminate')
  @HttpCode(200)
  terminate(@Param('id') id: string, @Req() request: ParsedRequest, @Asker() asker: Principal): Promise<Task> {
    return this.end('terminate', { id, request, asker });
  }

  @Post(':id/cancel')
  @HttpCode(200)
  cancel(@Param('id') id: string, @Req() request: ParsedRequest, @Asker() asker: Principal): Promise<Task> {
    return this.end('cancel', { id, request, asker });
  }

  @Post(':id/reopen')
  @HttpCode(200)
  reopen(@Param('id') id: string, @Req() request: ParsedRequest, @Asker() asker: Principal): Promise<Task> {
    return this.end('reopen', { id, request, asker });
  }

  private end(verb: TaskEnding, { id, request, asker }: { id: string; request: ParsedRequest; asker: Principal }): Promise<Task> {
    const { reason } = jsonBody(request, taskTransitionSchema);
    return this.tasks.end(verb, { taskId: taskIdOf(id), by: byOf(asker), reason });
  }
}

function taskIdOf(id: string): string {
  return parseRequest(idSchema, id, `task id ${JSON.stringify(id.slice(0, 100))}`);
}

function keyOf(request: IncomingMessage): string | undefined {
  return parseRequest(idempotencyKeySchema, request.headers['idempotency-key'], 'Idempotency-Key');
}

function byOf({ name }: Principal): By {
  return `operator:${name}`;
}
