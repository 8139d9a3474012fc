/** Takes the supervisors' facts about sessions from the event stream, each once. */
import { cloudEventSchema, sessionFactSchemas, type SessionFact } from '@holdfast/contracts';
import type { FactMessage, FactVerdict } from '@holdfast/platform-messaging';
import type { Clock } from '../host/clock.js';
import type { TaskStore, TaskUnit } from '../tasks/task-store.port.js';
import type { SessionOutcomes } from './session-outcomes.js';

const eventSchemas = {
  started: cloudEventSchema('holdfast.session.started', sessionFactSchemas.started),
  exited: cloudEventSchema('holdfast.session.exited', sessionFactSchemas.exited),
  lost: cloudEventSchema('holdfast.session.lost', sessionFactSchemas.lost),
} as const;
type Verb = keyof typeof eventSchemas;

interface Fact {
  readonly source: string;
  readonly id: string;
  readonly data: SessionFact<'started'> | SessionFact<'exited'> | SessionFact<'lost'>;
}

export class SessionFactsHandler {
  constructor(
    private readonly store: TaskStore,
    private readonly outcomes: SessionOutcomes,
    private readonly clock: Clock,
  ) {}

  async handle({ subject, event }: FactMessage): Promise<FactVerdict> {
    const verb = subject.slice(subject.lastIndexOf('.') + 1);
    if (!isVerb(verb)) return 'done';
    const parsed = eventSchemas[verb].safeParse(event);
    if (!parsed.success) return { reject: parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') };
    await this.store.write((unit) => this.apply(unit, parsed.data));
    return 'done';
  }

  private async apply(unit: TaskUnit, { source, id, data }: Fact): Promise<void> {
    if (!(await unit.records.find(data.sessionId))) return;
    if (!(await unit.ledger.takeIn({ source, id }, this.clock.bootMoment()))) return;
    if ('exit' in data) await this.outcomes.ended(unit, data);
    else await this.outcomes.started(unit, data);
  }
}

function isVerb(verb: string): verb is Verb {
  return Object.hasOwn(eventSchemas, verb);
}
