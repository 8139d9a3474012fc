/** A pause that ends early when the connection does. */
import type { NatsConnection } from '@nats-io/transport-node';

export async function pauseWhileConnected(connection: NatsConnection, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const pause = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([pause, connection.closed()]);
  clearTimeout(timer);
}
