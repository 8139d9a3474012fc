/** The namespace `/terminal`: who may connect, and a connection object for each who does. */
import { Inject } from '@nestjs/common';
import { WebSocketGateway, type GatewayMetadata, type OnGatewayConnection, type OnGatewayInit } from '@nestjs/websockets';
import { MAX_INPUT_BYTES, TERMINAL_NAMESPACE, type TerminalClientEvents, type TerminalServerEvents } from '@holdfast/contracts';
import { ServiceError } from '@holdfast/kernel';
import type { DefaultEventsMap, ExtendedError, Namespace } from 'socket.io';
import { addressOf, originFactsOf } from '../access/access.guard.js';
import { Authenticator } from '../access/authenticator.js';
import { OriginPolicy } from '../access/origin.policy.js';
import type { Principal } from '../access/principal.js';
import type { TerminalSocket } from './socket-sink.js';
import { TerminalConnection } from './terminal.connection.js';
import { TerminalService } from './terminal.service.js';

type TerminalNamespace = Namespace<TerminalClientEvents, TerminalServerEvents, DefaultEventsMap, { principal: Principal }>;

/** WebSocket only, so that any number of gateways needs no sticky sessions. */
const SERVER_OPTIONS: GatewayMetadata = {
  namespace: TERMINAL_NAMESPACE,
  transports: ['websocket'],
  serveClient: false,
  perMessageDeflate: false,
  /** A whole input and a bit more gets a typed refusal; beyond that the socket is closed. */
  maxHttpBufferSize: 2 * MAX_INPUT_BYTES,
  /** Who connects and asks for no namespace is let go. */
  connectTimeout: 10_000,
};

@WebSocketGateway(SERVER_OPTIONS)
export class TerminalGateway implements OnGatewayInit<TerminalNamespace>, OnGatewayConnection<TerminalSocket> {
  constructor(
    @Inject(TerminalService) private readonly terminal: TerminalService,
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(OriginPolicy) private readonly origins: OriginPolicy,
  ) {}

  /** A refused client gets `connect_error` with `data: {code, retry}`. Nothing lives in the root namespace. */
  afterInit(namespace: TerminalNamespace): void {
    namespace.use((socket, next) => next(this.admit(socket)));
    namespace.server
      .of('/')
      .use((_socket, next) => next(connectError(new ServiceError('route.not-found', `connect to the namespace ${TERMINAL_NAMESPACE}`))));
  }

  handleConnection(socket: TerminalSocket): void {
    new TerminalConnection(socket, this.terminal).listen();
  }

  private admit(socket: TerminalSocket): ExtendedError | undefined {
    try {
      this.origins.check(originFactsOf(socket.request));
      const token: unknown = socket.handshake.auth['token'];
      const { authorization, cookie } = socket.handshake.headers;
      socket.data.principal = this.authenticator.authenticate({
        authorization,
        cookie,
        ...(token === undefined || token === null ? {} : { token: String(token) }),
        address: addressOf(socket.request),
      });
      return undefined;
    } catch (error) {
      return connectError(ServiceError.from(error));
    }
  }
}

function connectError({ code, retry, message, detail }: ServiceError): ExtendedError {
  return Object.assign(new Error(message), { data: { code, retry, ...detail } });
}
