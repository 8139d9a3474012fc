/** Acknowledgements come at every step and never go back. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AcknowledgementMeter } from './acknowledgement-meter.js';

describe('AcknowledgementMeter', () => {
  it('acknowledges at full steps, and the remainder when idle', () => {
    const meter = new AcknowledgementMeter(1000, 100);
    expect([meter.consumed(1099), meter.consumed(1100), meter.consumed(1150), meter.idle(), meter.idle()]).toEqual([
      undefined,
      1100,
      undefined,
      1150,
      undefined,
    ]);
  });

  it('never leaves a full step unacknowledged, never acknowledges twice or what is not consumed', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(300)), (sizes) => {
        const meter = new AcknowledgementMeter(0, 100);
        let consumed = 0;
        let acknowledged = 0;
        for (const size of sizes) {
          const said = meter.consumed((consumed += size));
          if (said !== undefined) {
            expect(said > acknowledged && said <= consumed).toBe(true);
            acknowledged = said;
          }
          expect(consumed - acknowledged).toBeLessThan(100);
        }
      }),
    );
  });
});
