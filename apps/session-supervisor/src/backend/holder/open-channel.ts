/** Connects to a holder's socket and exchanges hellos, or says within the deadline why not. */
import {
  Channel,
  PROTOCOL_VERSION,
  encodeHello,
  requireSupportedVersion,
  type ChannelHandlers,
  type Hello,
  type Message,
} from '@holdfast/attach-protocol';
import { ServiceError, parseErrorBody, withDeadline } from '@holdfast/kernel';
import { connect } from 'node:net';

/** What this supervisor says of itself. */
export interface OwnHello {
  readonly term: number;
  readonly build: string;
}

export interface ChannelOwner {
  /** Every message after the hello but answers, in order; bytes in it are views. */
  onMessage(message: Message): void;
  /** Once, when an opened channel is over. */
  onClose(): void;
}

export interface OpenedChannel {
  readonly channel: Channel;
  readonly hello: Hello;
}

/** A stopped holder accepts (the kernel does) and says nothing: nobody waits longer for it. */
export const CONNECT_DEADLINE_MS = 1_000;

/**
 * @throws ServiceError `holder.unreachable` (no socket, nobody listens, no hello in time), `holder.stale-term`,
 * `protocol.unsupported-version`.
 */
export async function openChannel(path: string, own: OwnHello, owner: ChannelOwner): Promise<OpenedChannel> {
  const greeting = new Greeting(owner);
  const channel = new Channel(connect({ path }), greeting);
  channel.send(encodeHello({ protocol: PROTOCOL_VERSION, build: own.build, features: [], term: own.term }));
  try {
    return { channel, hello: await withDeadline(greeting.hello, CONNECT_DEADLINE_MS, `hello of ${path}`, 'holder.unreachable') };
  } catch (error) {
    channel.close();
    throw ServiceError.from(error);
  }
}

/** Takes the first message; from then on hands everything to the owner. */
class Greeting implements ChannelHandlers {
  readonly hello: Promise<Hello>;
  private greeted = false;
  private settle!: { resolve(hello: Hello): void; reject(error: ServiceError): void };

  constructor(private readonly owner: ChannelOwner) {
    this.hello = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
  }

  onMessage(message: Message): void {
    if (this.greeted) this.owner.onMessage(message);
    else this.greet(message);
  }

  onClose(error?: ServiceError): void {
    if (this.greeted) this.owner.onClose();
    else this.settle.reject(new ServiceError('holder.unreachable', error?.message ?? 'the holder closed the connection', { cause: error }));
  }

  private greet(message: Message): void {
    if (message.type === 'response' && !message.response.ok)
      return this.settle.reject(ServiceError.fromBody(parseErrorBody(message.response.error)));
    if (message.type !== 'hello') return;
    try {
      requireSupportedVersion(message.hello);
    } catch (error) {
      return this.settle.reject(ServiceError.from(error));
    }
    this.greeted = true;
    this.settle.resolve(message.hello);
  }
}
