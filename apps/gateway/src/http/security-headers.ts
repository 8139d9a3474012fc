/** Response headers against what a browser could be made to do. */
import helmet from 'helmet';
import type { IncomingMessage, ServerResponse } from 'node:http';

type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** `'self'` covers the WebSocket to the same origin. Mantine and xterm.js write inline styles; scripts come from files only. */
export function securityHeaders(options: { readonly isBehindHttps: boolean }): Middleware {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'", 'data:'],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: options.isBehindHttps ? { maxAge: 365 * 24 * 3600, includeSubDomains: false } : false,
    referrerPolicy: { policy: 'no-referrer' },
  });
}

/** What the API says is of this moment and for who asked. */
export const neverStored: Middleware = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  next();
};
