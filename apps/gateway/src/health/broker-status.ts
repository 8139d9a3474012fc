/** Whether the broker is there. Nothing of the gateway waits for it. */
import type { Health } from '@holdfast/contracts';
import { EventBus } from '@holdfast/platform-messaging';

export class BrokerStatus {
  private bus: EventBus | undefined;

  constructor(private readonly natsUrl: string | undefined) {}

  get status(): Health['nats']['status'] {
    if (this.bus === undefined) return 'unknown';
    return this.bus.isConnected ? 'ok' : 'unreachable';
  }

  onModuleInit(): void {
    if (this.natsUrl !== undefined) this.bus = EventBus.start({ url: this.natsUrl, name: 'gateway' });
  }

  async onModuleDestroy(): Promise<void> {
    await this.bus?.close();
  }
}
