/** Time of this process, for parts that take it as a value. */
import type { StreamClock } from './streaming/stream-source.port.js';

export const systemClock: StreamClock = {
  now: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
