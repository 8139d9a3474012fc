/** Hears the beats of this instance's hosts and keeps them in the inventory. */
import { hostBeatEventSchema, subjectRoot, subjects } from '@holdfast/contracts';
import { followSubject, type EventBus, type ReportProblem } from '@holdfast/platform-messaging';
import type { Clock } from '../clock.js';
import type { HostInventory } from '../inventory/host-inventory.js';

export interface BeatListenerOptions {
  readonly bus: EventBus;
  readonly instance: string;
  readonly inventory: HostInventory;
  readonly clock: Clock;
  readonly onProblem: ReportProblem;
}

/** Beats that cannot be read are reported; those of another instance are ignored. Ends with the bus. */
export function listenToBeats({ bus, instance, inventory, clock, onProblem }: BeatListenerOptions): void {
  followSubject({
    bus,
    subject: subjects.allHostBeats(subjectRoot(instance)),
    onProblem,
    onEvent: (event, subject) => {
      const beat = hostBeatEventSchema.safeParse(event);
      if (!beat.success) return onProblem('beat.unreadable', new Error(subject));
      if (beat.data.data.instance === instance) inventory.take(beat.data.data, clock.monotonicMs());
    },
  });
}
