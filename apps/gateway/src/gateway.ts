/** A running gateway: started on its address, closed within a deadline. */
import { NestFactory } from '@nestjs/core';
import { ConsoleLogger, type LoggerService } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { IoAdapter } from '@nestjs/platform-socket.io';
import type { HoldfastConfig } from '@holdfast/platform-config';
import { MAX_INPUT_BYTES } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppModule } from './app.module.js';
import { GatewaySettings } from './gateway-settings.js';
import { serveDashboard } from './http/dashboard.js';
import { HttpAdapter } from './http/http.adapter.js';
import { OCTET_STREAM } from './http/request-body.js';
import { neverStored, securityHeaders } from './http/security-headers.js';

const MAX_JSON_BYTES = 1024 * 1024;

export interface Gateway {
  /** With the port it really has. */
  readonly url: string;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** Resolves once it serves, supervisor or not. @throws ServiceError `config.invalid`, and `instance.in-use` when the address is taken. */
export async function startGateway(config: HoldfastConfig, logger: LoggerService = new ConsoleLogger({ json: true })): Promise<Gateway> {
  const settings = GatewaySettings.of(config);
  const app = await NestFactory.create<NestExpressApplication>(AppModule.of(settings), new HttpAdapter(), {
    logger,
    bodyParser: false,
    abortOnError: false,
  });
  const server = app.getHttpServer();
  try {
    equip(app, settings);
    await app.init();
    await listen(server, settings);
    return { url: urlOf(server.address() as AddressInfo), close: () => close(app, server) };
  } catch (error) {
    await close(app, server);
    throw error;
  }
}

function equip(app: NestExpressApplication, settings: GatewaySettings): void {
  for (const header of ['x-powered-by', 'etag']) app.disable(header);
  app.use(securityHeaders(settings));
  app.use('/v1', neverStored);
  app.useBodyParser('json', { limit: MAX_JSON_BYTES });
  app.useBodyParser('raw', { type: OCTET_STREAM, limit: MAX_INPUT_BYTES });
  serveDashboard(app, settings.dashboardDir);
  app.useWebSocketAdapter(new IoAdapter(app));
}

/** Not by the framework, which reports a taken port as a bare error. */
async function listen(server: Server, { host, port }: GatewaySettings): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw bindFailure(error, `${host}:${port}`);
  }
}

function bindFailure(error: unknown, address: string): ServiceError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new ServiceError('instance.in-use', `another process listens on ${address}; choose another HOLDFAST_GATEWAY_PORT`, {
      cause: error,
    });
  return new ServiceError(
    'config.invalid',
    `cannot listen on ${address} (${String(code)}); see HOLDFAST_GATEWAY_HOST and HOLDFAST_GATEWAY_PORT`,
    { cause: error },
  );
}

/** Open requests are not waited for: a gateway keeps nothing that its end could lose. */
async function close(app: NestExpressApplication, server: Server): Promise<void> {
  const closed = app.close();
  server.closeAllConnections();
  await closed;
}

/** A wildcard address is reached by loopback. */
function urlOf({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
