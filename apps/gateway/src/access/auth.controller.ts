/** Signing in and out of the browser's session. */
import { Controller, Delete, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { signInSchema } from '@holdfast/contracts';
import type { ServerResponse } from 'node:http';
import { jsonBody, type ParsedRequest } from '../http/request-body.js';
import { Public, addressOf } from './access.guard.js';
import { Authenticator } from './authenticator.js';
import { SessionCookie } from './session-cookie.js';

@Public()
@Controller('v1/auth/session')
export class AuthController {
  constructor(
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(SessionCookie) private readonly cookie: SessionCookie,
  ) {}

  @Post()
  @HttpCode(204)
  signIn(@Req() request: ParsedRequest, @Res({ passthrough: true }) response: ServerResponse): void {
    const { token } = jsonBody(request, signInSchema);
    const principal = this.authenticator.authenticate({ token, address: addressOf(request) });
    response.setHeader('Set-Cookie', this.cookie.issue(principal.tokenId));
  }

  /** Succeeds also for who is not signed in. */
  @Delete()
  @HttpCode(204)
  signOut(@Res({ passthrough: true }) response: ServerResponse): void {
    response.setHeader('Set-Cookie', this.cookie.clear());
  }
}
