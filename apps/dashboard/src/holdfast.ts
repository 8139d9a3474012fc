/** The gateway this page came from, spoken to with the browser's cookie. */
import { HoldfastClient } from '@holdfast/client';

export const holdfast = new HoldfastClient({ baseUrl: '' });
