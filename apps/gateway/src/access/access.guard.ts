/** Stands before every route: whence it comes, then who asks. */
import { Inject, SetMetadata, createParamDecorator, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { IncomingMessage } from 'node:http';
import { Authenticator } from './authenticator.js';
import { OriginPolicy } from './origin.policy.js';
import type { Principal } from './principal.js';

const PUBLIC = 'holdfast:public';
/** A route that needs no credentials. Its origin is checked all the same. */
export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(PUBLIC, true);

type Identified = IncomingMessage & { principal?: Principal };

/** The principal of the request, set by the guard. */
export const Asker = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<Identified>().principal,
);

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export class AccessGuard implements CanActivate {
  constructor(
    @Inject(OriginPolicy) private readonly origins: OriginPolicy,
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Identified>();
    if (!SAFE_METHODS.has(request.method ?? '')) this.origins.check(originFactsOf(request));
    if (this.reflector.getAllAndOverride<boolean | undefined>(PUBLIC, [context.getHandler(), context.getClass()]) === true) return true;
    const { authorization, cookie } = request.headers;
    request.principal = this.authenticator.authenticate({ authorization, cookie, address: addressOf(request) });
    return true;
  }
}

export function originFactsOf(request: IncomingMessage): Parameters<OriginPolicy['check']>[0] {
  const fetchSite = request.headers['sec-fetch-site'];
  return {
    host: request.headers.host,
    origin: request.headers.origin,
    fetchSite: typeof fetchSite === 'string' ? fetchSite : undefined,
    port: request.socket.localPort ?? 0,
  };
}

export function addressOf(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? 'unknown';
}
