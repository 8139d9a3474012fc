/** Finds HOLDFAST_* variables that nothing reads: most are a misspelt name. */
import { CONFIG_VARIABLES } from './variables.js';

/** Set for the children of a session, so they are there when a service is started from inside one. */
const SESSION_VARIABLES: readonly string[] = ['HOLDFAST_SESSION_ID', 'HOLDFAST_SESSION_MARK'];

/** One sentence per unknown variable, sorted by name; never its value. */
export function configWarnings(environment: NodeJS.ProcessEnv): readonly string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('HOLDFAST_') && !Object.hasOwn(CONFIG_VARIABLES, name) && !SESSION_VARIABLES.includes(name))
    .sort()
    .map((name) => `${name} is set, but this version does not use it`);
}
