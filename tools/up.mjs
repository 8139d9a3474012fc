/** `npm run up`: makes the checkout runnable, then becomes the launcher (same process, so that signals reach it). */
import { prepare } from './bootstrap.mjs';

const ownNats = (process.env['HOLDFAST_NATS_URL'] ?? '') === '';
prepare({ programs: ['flock', 'setpriv', ...(ownNats ? ['nats-server'] : [])] });
await import('./up/dist/main.js');
