/** The subject and the schemas of a command, by service and verb. */
import { commands, commandSubjects, type CommandService, type CommandVerb } from '@holdfast/contracts';
import { invariant } from '@holdfast/kernel';
import type { z } from 'zod';

export interface CommandAddress<S extends CommandService> {
  /** Subject root of the instance. */
  readonly root: string;
  readonly service: S;
  /** A supervisor's is its own; the other services have none. */
  readonly hostId?: string | undefined;
}

export function commandSubject<S extends CommandService>(address: CommandAddress<S>, verb: CommandVerb<S>): string {
  const { root, service, hostId } = address;
  if (service !== 'session-supervisor') return `${root}.cmd.${service}.${verb}`;
  invariant(hostId !== undefined, 'a command to a supervisor names its host');
  return commandSubjects.supervisor(root, hostId, verb as CommandVerb<'session-supervisor'>);
}

interface CommandSchemas {
  readonly request: z.ZodType;
  readonly answer: z.ZodType;
}

export function commandSchemas(service: CommandService, verb: string): CommandSchemas {
  const verbs: Readonly<Record<string, CommandSchemas>> = commands[service];
  const schemas = verbs[verb];
  invariant(schemas, `${service} has no verb ${verb}`);
  return schemas;
}
