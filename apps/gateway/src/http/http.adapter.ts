/** The HTTP server: limits against clients that are slow on purpose or send too much. */
import { ExpressAdapter } from '@nestjs/platform-express';
import { createServer } from 'node:http';

/** Request line and headers must be here by then. */
const HEADERS_TIMEOUT_MS = 10_000;
/** The whole request must be here by then; nothing we take is larger than 1 MiB. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How often the two are looked at. */
const TIMEOUT_CHECK_MS = 2_000;
/** Longer than the 60 s a proxy usually keeps its side, so that it never sends into a connection we are closing. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAX_HEADER_BYTES = 16 * 1024;

export class HttpAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    this.httpServer = createServer(
      {
        headersTimeout: HEADERS_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        connectionsCheckingInterval: TIMEOUT_CHECK_MS,
        keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
        maxHeaderSize: MAX_HEADER_BYTES,
      },
      this.getInstance(),
    );
  }
}
