/** Keeps zod from probing whether code may be generated: our content security policy says no, and the probe would be reported. */
import { config } from 'zod';

config({ jitless: true });
