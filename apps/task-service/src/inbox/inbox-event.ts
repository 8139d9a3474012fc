/** Reads an event that another service put into the inbox. */
import { inboxSchemas, type CreateTask, type InboxVerb } from '@holdfast/contracts';
import { z } from 'zod';

interface ChangeData {
  readonly taskId: string;
  readonly reason?: string | undefined;
}

export type InboxRequest =
  | { readonly verb: 'requested'; readonly data: CreateTask }
  | { readonly verb: 'progress'; readonly data: { readonly taskId: string; readonly text?: string | undefined } }
  | { readonly verb: 'completed' | 'terminated' | 'cancelled'; readonly data: ChangeData };

export type InboxEvent = InboxRequest & { readonly source: string; readonly id: string };

/** What could be read of an event that is not taken. */
export interface Unreadable {
  readonly reason: string;
  readonly eventId: string | null;
  readonly source: string | null;
}

/** The attributes CloudEvents 1.0 requires; all others are the sender's affair. */
const envelopeSchema = z.object({
  specversion: z.literal('1.0'),
  id: z.string().min(1).max(256),
  source: z.string().min(1).max(1024),
  type: z.string(),
  data: z.unknown(),
});
const identitySchema = z.object({ id: z.string().nullable().catch(null), source: z.string().nullable().catch(null) });

/** @param subject its last token must be the verb of the type. */
export function readInboxEvent(subject: string, event: unknown): InboxEvent | Unreadable {
  if (event === undefined) return { reason: 'is no JSON', eventId: null, source: null };
  const known = identitySchema.safeParse(event);
  const refuse = (reason: string): Unreadable => ({ reason, eventId: known.data?.id ?? null, source: known.data?.source ?? null });
  const envelope = envelopeSchema.safeParse(event);
  if (!envelope.success) return refuse(`is no CloudEvent 1.0: ${faultsOf(envelope.error)}`);
  const { id, source, type } = envelope.data;
  const verb = type.replace(/^holdfast\.task\./, '');
  if (!type.startsWith('holdfast.task.') || !isVerb(verb)) return refuse(`unknown type "${type.slice(0, 200)}"`);
  if (!subject.endsWith(`.inbox.task.${verb}`)) return refuse(`type "${type}" does not belong on subject ${subject}`);
  const data = inboxSchemas[verb].safeParse(envelope.data.data);
  if (!data.success) return refuse(`data of ${type}: ${faultsOf(data.error)}`);
  /** Verb and data come from the same row of the schema table. */
  return { source, id, verb, data: data.data } as InboxEvent;
}

function isVerb(verb: string): verb is InboxVerb {
  return Object.hasOwn(inboxSchemas, verb);
}

/** Where and what, never the value: it may be a prompt or a secret. */
function faultsOf(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => `${path.join('.') || 'the event'}: ${message}`)
    .join('; ')
    .slice(0, 1000);
}
